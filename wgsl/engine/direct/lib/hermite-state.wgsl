// What the integrators of direct summation keep: particles, the state of the block loop, and the bindings that their
// kernels share. Lengths are in the pipeline's own unit, and times in units of the largest step, so that every
// particle's step is a power of two and products with it are exact. Times within the largest step are counted in
// ticks of 2^-30 of it. src/engine/direct/state.ts packs all of this.
//#import "../../../lib/double-single.wgsl"
//#import "block-control.wgsl"
//#import "body.wgsl"
//#expects POTENTIALS, Derivatives

const LARGEST = 0x40000000u; // ticks of the largest step
const TICK = 0x1p-30; // in units of the largest step
const NOBODY = 0xffffffffu;

struct Particle {
  position: vec3f,
  mass: f32, // G·m
  positionLow: vec3f,
  id: u32,
  velocity: vec3f,
  time: u32, // tick to which position, velocity and derivatives belong
  velocityLow: vec3f,
  step: u32, // ticks
}

// After a step.
struct Corrected {
  particle: Particle,
  derivatives: Derivatives,
  wanted: f32, // step, in units of the largest
}

struct ExternalPotential {
  centre: vec3f,
  kind: u32,
  parameters: array<vec4f, 2>,
}

struct Settings {
  zero: u32, // stays 0, see lib/double-single.wgsl
  closing: u32, // 1: correct the block in progress and begin no other
  potentials: u32, // in use
  nu: f32,
  eta: f32,
  softening: f32,
  count: u32, // particles
  groups: u32, // of MANY_GROUP particles
  sources: u32, // particles with mass
  potential: array<ExternalPotential, POTENTIALS>,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> control: Control;
@group(0) @binding(2) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(3) var<storage, read_write> derivatives: array<Derivatives>;
@group(0) @binding(4) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(5) var<storage, read> forces: array<Force>;

// Length of an interval of ticks, in units of the largest step: exact for a step, rounded for other intervals.
fn interval(ticks: u32) -> f32 {
  return f32(ticks) * TICK;
}

fn pairOf3(a: vec3f) -> Pair3 {
  return Pair3(a, vec3f(0.0));
}

// A pair times a power of two.
fn scaled3(a: Pair3, power: f32) -> Pair3 {
  return Pair3(a.high * power, a.low * power);
}

fn finite3(a: vec3f) -> bool {
  return all((bitcast<vec3u>(a) & vec3u(0x7f800000u)) != vec3u(0x7f800000u));
}

// Position of a particle after `time`, given the part of it beyond v·time.
fn drifted(p: Particle, time: f32, curve: Pair3) -> Pair3 {
  let way = pairTimesFloat3(Pair3(p.velocity, p.velocityLow), vec3f(time));
  return pairAdd3(Pair3(p.position, p.positionLow), pairAdd3(way, curve));
}
