// Kick and drift (kick-drift-kick leapfrog; Aubert, Amini & David 2009, fig. 1), with the acceleration interpolated from
// the mesh, and the particle's new cell counted for the next ordering by cell:
//   v += a·kick,  u += round(v·drift),  place = particles counted in the new cell before this one
// u is fixed point and drift in units of 2^-32 box per velocity. A periodic box wraps by itself; an isolated one
// carries into the particle's box image. An invocation takes RUN particles.
//#import "../../lib/grid.wgsl"
//#import "../../lib/runs.wgsl"
//#import "../../lib/cells.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "../../lib/box-image.wgsl"
//#import "../../lib/section.wgsl"
//#import "kicked.wgsl"
//#expects ISOLATED, RUN, KEEP, UNROLLED, WHOLE, FAULTS, SLOTS_A_MARK, TOGETHER (count-in-subgroups.wgsl counts)

struct Step {
  count: u32, // N
  kick: f32, // [time]
  drift: f32, // [2^-32 box / velocity]; 0 for a kick alone
  index: u32, // number of the step, for the report of faults
  slow: f32, // with substeps: the kick of what isn't the levels' own [time]
  counts: u32, // whether particles are counted: not by a kick alone, with substeps by the last of them
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<uniform> externalForces: ExternalForces;
@group(0) @binding(2) var<storage, read_write> positions: array<u32>; // [N, 3]
@group(0) @binding(3) var<storage, read_write> velocities: array<u32>; // [N, 3] f32 as bits
@group(0) @binding(4) var<storage, read_write> images: array<u32>; // [N], isolated
@group(0) @binding(6) var<uniform> monopole: Monopole; // isolated
@group(0) @binding(7) var<storage, read_write> cellStart: array<atomic<u32>>; // particles per cell
@group(0) @binding(8) var<storage, read_write> places: array<u32>; // [N]
@group(0) @binding(9) var<storage, read_write> health: array<atomic<u32>>; // first step of each fault, marks

const GROUP = 64u;
const HAS_STENCIL = KEEP || UNROLLED;
const LARGEST_IMAGE = 511;

// Entries of `health`.
const NOT_FINITE = 0u;
const TOO_FAR_IN_A_STEP = 1u;
const TOO_FAR_OUT = 2u;

var<private> faults: u32; // those of the invocation's particles, a bit each

fn note(fault: u32, found: bool) {
  faults |= select(0u, 1u << fault, found);
}

// Once an invocation: processors take a lane at a time for an atomic, faults or none.
fn report() {
  for (var fault = NOT_FINITE; fault <= TOO_FAR_OUT; fault++) {
    if ((faults & (1u << fault)) != 0u) {
      atomicMin(&health[fault], step.index);
    }
  }
}

// By bits, because a compiler may assume that there are no NaNs.
fn isFinite(v: vec3f) -> bool {
  return all((bitcast<vec3u>(v) & vec3u(0x7f800000u)) != vec3u(0x7f800000u));
}

fn setVelocity(slot: u32, v: vec3f) {
  let bits = bitcast<vec3u>(v);
  velocities[3u * slot] = bits.x;
  velocities[3u * slot + 1u] = bits.y;
  velocities[3u * slot + 2u] = bits.z;
}

// Floats without a fraction below 2^31 as integers, in two parts that show in the bits of their sums with 1.5·2^23, exact
// whichever way sums round: processors convert a lane at a time.
fn integersOf(x: vec3f) -> vec3i {
  let shift = vec3f(0x1.8p23);
  let upper = bitcast<vec3i>(fma(x, vec3f(0x1p-12), shift)) - bitcast<vec3i>(shift);
  let lower = bitcast<vec3i>(fma(vec3f(upper), vec3f(-0x1p12), x) + shift) - bitcast<vec3i>(shift);
  return upper * 4096 + lower;
}

// The image after a displacement: one box on where the fixed-point coordinate wrapped, which is rare.
fn movedImage(image: u32, before: vec3u, after: vec3u, displacement: vec3i) -> u32 {
  let up = (displacement > vec3i(0)) & (after < before);
  let down = (displacement < vec3i(0)) & (after > before);
  if (!any(up | down)) {
    return image;
  }
  let boxes = imageOffsets(image) + select(vec3i(0), vec3i(1), up) - select(vec3i(0), vec3i(1), down);
  note(TOO_FAR_OUT, any(abs(boxes) > vec3i(LARGEST_IMAGE)));
  return packedImage(boxes);
}

// A place that there isn't: the particle is bound for another slab, and the ordering counts it (engine/gpu-particles/order-sections.wgsl).
const STRAY = 0xffffffffu;

var<private> marks: u32; // the slabs that the invocation's particles are bound for

//#if TOGETHER
var<private> counter = STRAY; // of the cell that the particle moves to
//#end

// Counts a particle into its new cell, for the next ordering, as far as that is one of the slab's.
fn countInto(slot: u32, key: u32) {
  let own = keyInSlab(key);
  let isOwn = WHOLE || own < keysInSlab();
  if (!WHOLE) { marks |= slabMark(key) | select(STRAYED, 0u, isOwn); }
//#if TOGETHER
  counter = select(STRAY, own, isOwn);
//#end
//#if !TOGETHER
  var place = STRAY;
  if (isOwn) { place = atomicAdd(&cellStart[own], 1u); }
  places[slot] = place;
//#end
}

// After the last of an invocation's slots, which share a mark.
fn leaveMark(slot: u32) {
  if (marks != 0u) { atomicOr(&health[u32(FAULTS) + slot / u32(SLOTS_A_MARK)], marks); }
}

// First slot of an invocation and its end, LANES apart. All have the same mark.
fn slots(invocation: Invocation) -> vec2u {
  return runIn(slotsOfSection(step.count), invocationInSection(invocation, GROUP, u32(RUN)), u32(RUN));
}

// A particle's acceleration from the mesh, by the values around its cell, or cell by cell, which compiles sooner.
fn onMesh(stencil: ptr<function, Stencil>, u: vec3u) -> vec3f {
  let base = baseOf(u);
  if (HAS_STENCIL) { return interpolated(stencil, base.offset); }
  return interpolatedAt(base);
}

fn moveParticle(stencil: ptr<function, Stencil>, slot: u32, before: vec3u) {
  let oldImage = imageOf(slot);
  let v = kicked(onMesh(stencil, before), slot, before, oldImage);
  setVelocity(slot, v);

  let displacement = v * step.drift;
  let finite = isFinite(displacement);
  note(NOT_FINITE, !finite);
  note(TOO_FAR_IN_A_STEP, finite && any(abs(displacement) >= vec3f(0x1p31)));
  let moved = integersOf(round(displacement));
  let after = before + bitcast<vec3u>(moved);
  positions[3u * slot] = after.x;
  positions[3u * slot + 1u] = after.y;
  positions[3u * slot + 2u] = after.z;
  var image = 0u;
//#if ISOLATED
  image = movedImage(oldImage, before, after, moved);
  if (image != oldImage) { images[slot] = image; }
//#end
  if (step.counts != 0u) { countInto(slot, cellKey(after, image)); }
}

// With KEEP the values around a cell are read once for all of an invocation's particles that follow one another there. Both
// loops end at the bottom, where all that share a processor's vector end together.
fn moveParticles(range: vec2u) {
  if (range.x >= range.y) { return; }
  var slot = range.x;
  var u = positionOf(slot);
  loop {
    let cell = baseOf(u).cell;
    var stencil: Stencil;
    if (HAS_STENCIL) { stencil = stencilAround(cell); }
    loop {
      moveParticle(&stencil, slot, u);
      slot += LANES;
      u = positionOf(min(slot, range.y - 1u));
      continuing { break if !KEEP || slot >= range.y || any(baseOf(u).cell != cell); }
    }
    continuing { break if slot >= range.y; }
  }
  report();
  leaveMark(range.x);
}

@compute @workgroup_size(GROUP)
fn update(invocation: Invocation) {
  moveParticles(slots(invocation));
}
