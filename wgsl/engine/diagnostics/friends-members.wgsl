// Friends of friends, last part: what groups amount to, from the numbers of their members, in one chunk of slots or
// several. There may be more groups than a binding holds: then a range of them at a time.
//   refer     gives every group a member to measure separations from
//   sums      mass, centre of mass and velocity of each group
//   farthest, spread   greatest and summed squares of distances from the centre and of velocities relative to its own
//#import "../../lib/grid.wgsl"
//#import "../../lib/integer-scale.wgsl"
//#import "../../lib/wide-terms.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "friends-search.wgsl"
//#expects ISOLATED, MASS_UNITS

struct Centre {
  position: vec4u, // of the centre of mass, and its image
  velocity: vec4f, // mean [1/velocityScale]
}

struct GroupRange {
  first: u32,
  count: u32,
}

// Zeroed at the start: totals.
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> numbers: array<u32>; // [N] of the particle's group, or NONE
@group(0) @binding(3) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(4) var<storage, read> massUnits: array<u32>; // [N] by id; of chunks by slot
@group(0) @binding(4) var<storage, read> groups: array<vec2u>; // refer: by number: members, label
@group(0) @binding(5) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(6) var<storage, read> references: array<vec4u>; // sums: by number: position, image
@group(0) @binding(6) var<storage, read_write> chosen: array<vec4u>; // refer: `references`
@group(0) @binding(6) var<storage, read> centres: array<Centre>; // farthest, spread: by number
@group(0) @binding(7) var<storage, read> images: array<u32>; // [N], isolated
// sums: [groups, 7, 3]; farthest, spread: [groups, 2, 3] of r², and of |v − v̄|²: bits of the greatest; sum, low and high word
@group(0) @binding(8) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(9) var<uniform> velocityScale: vec4f; // x: power of two; |velocity component| · x < 1
@group(0) @binding(10) var<uniform> range: GroupRange;

// Number of a particle's group, from the first of the range on, or NONE.
fn numberOf(i: u32) -> u32 {
  let number = numbers[i] - range.first;
  return select(NONE, number, number < range.count);
}

// The one whose id is the label.
@compute @workgroup_size(GROUP)
fn refer(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var group = NONE;
  var label = 0u;
  for (var i = run.x; i < run.y; i++) {
    let here = numberOf(i);
    if (here == NONE) { continue; }
    if (here != group) {
      group = here;
      label = groups[here].y;
    }
    if (ids[i] == label) { chosen[here] = vec4u(positionOf(i), imageOf(i)); }
  }
}

fn velocityOf(i: u32) -> vec3f {
  return vec3f(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]) * velocityScale.x;
}

// Separation = near + 2^32 · boxes, in L/2^32; to the nearest image in a periodic box.
struct Separation {
  near: vec3i,
  boxes: vec3i,
}

fn separationFrom(point: vec4u, i: u32) -> Separation {
  let u = positionOf(i);
  let near = bitcast<vec3i>(u - point.xyz);
  if (!ISOLATED) { return Separation(near, vec3i(0)); }
  // What 32 bits can't hold of the difference within a box.
  let above = (u >= point.xyz) & (near < vec3i(0));
  let below = (u < point.xyz) & (near >= vec3i(0));
  let lost = select(vec3i(0), vec3i(1), above) - select(vec3i(0), vec3i(1), below);
  return Separation(near, imageOffsets(imageOf(i)) - imageOffsets(point.w) + lost);
}

// Sums over the members of each group that don't depend on the order of the particles: integers of 96 bits, two's
// complement, low word first, added with carries. Mass [mass units], mass × separation from the group's reference member
// [mass unit · L/2^32], mass × velocity [mass unit · 2^-30 / velocityScale].

alias Sums = array<vec3u, 7>; // mass, three of places, three of velocities

fn plus96(a: vec3u, b: vec3u) -> vec3u {
  let low = a.x + b.x;
  let middle = a.y + b.y;
  let carried = middle + select(0u, 1u, low < b.x);
  return vec3u(low, carried, a.z + b.z + select(0u, 1u, middle < b.y) + select(0u, 1u, carried < middle));
}

// mass · factor, 64 bits and sign
fn times(mass: u32, factor: i32) -> vec3u {
  let size = u32(abs(factor)); // of −2^31, too
  let product = vec3u(mass * size, highProduct(mass, size), 0u);
  if (factor >= 0) { return product; }
  return plus96(~product, vec3u(1u, 0u, 0u));
}

// mass · (near + 2^32 boxes)
fn timesSeparation(mass: u32, near: i32, boxes: i32) -> vec3u {
  let product = times(mass, near);
  if (!ISOLATED) { return product; }
  return plus96(product, vec3u(0u, times(mass, boxes).xy));
}

fn addTo96(at: u32, term: vec3u) {
  let low = select(0u, 1u, atomicAdd(&totals[at], term.x) > ~term.x);
  let middle = term.y + low;
  let high = term.z + select(0u, 1u, atomicAdd(&totals[at + 1u], middle) > ~middle) + select(0u, 1u, middle < low);
  if (high != 0u) { atomicAdd(&totals[at + 2u], high); }
}

fn addSums(number: u32, sums: ptr<function, Sums>) {
  if (number == NONE) { return; }
  for (var k = 0u; k < 7u; k++) { addTo96(21u * number + 3u * k, (*sums)[k]); }
}

@compute @workgroup_size(GROUP)
fn sums(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var group = NONE;
  var sum = Sums();
  var point = vec4u(0u);
  for (var i = run.x; i < run.y; i++) {
    let here = numberOf(i);
    if (here != group) {
      addSums(group, &sum);
      group = here;
      sum = Sums();
      if (here != NONE) { point = references[here]; }
    }
    if (here == NONE) { continue; }
    let mass = massOf(i);
    let d = separationFrom(point, i);
    let v = vec3i(round(velocityOf(i) * 0x1p30));
    sum[0] = plus96(sum[0], vec3u(mass, 0u, 0u));
    for (var axis = 0u; axis < 3u; axis++) {
      sum[1u + axis] = plus96(sum[1u + axis], timesSeparation(mass, d.near[axis], d.boxes[axis]));
      sum[4u + axis] = plus96(sum[4u + axis], times(mass, v[axis]));
    }
  }
  addSums(group, &sum);
}

// The greatest r² and the sums of m r² and m |v − v̄|² about each group's centre: `farthest` finds the greatest terms,
// `spread` adds them as integers of 30 bits. r in box sides, v in units of 1/velocityScale, m in units of the heaviest.

// r² and |v − v̄|² of a particle
fn squaresOf(centre: Centre, i: u32) -> vec2f {
  let d = separationFrom(centre.position, i);
  let r = vec3f(d.near) * 0x1p-32 + vec3f(d.boxes);
  let v = velocityOf(i) - centre.velocity.xyz;
  return vec2f(dot(r, r), dot(v, v));
}

fn keepGreatest(number: u32, squares: vec2f) {
  if (number == NONE) { return; }
  atomicMax(&totals[6u * number], bitcast<u32>(squares.x));
  atomicMax(&totals[6u * number + 3u], bitcast<u32>(squares.y));
}

@compute @workgroup_size(GROUP)
fn farthest(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var group = NONE;
  var greatest = vec2f(0.0);
  for (var i = run.x; i < run.y; i++) {
    let here = numberOf(i);
    if (here != group) {
      keepGreatest(group, greatest);
      group = here;
      greatest = vec2f(0.0);
    }
    if (here != NONE) { greatest = max(greatest, squaresOf(centres[here], i)); }
  }
  keepGreatest(group, greatest);
}

fn addTo64(at: u32, sum: vec2u) {
  let high = sum.y + select(0u, 1u, atomicAdd(&totals[at], sum.x) > ~sum.x);
  if (high != 0u) { atomicAdd(&totals[at + 1u], high); }
}

fn addSquares(number: u32, distance: vec2u, velocity: vec2u) {
  if (number == NONE) { return; }
  addTo64(6u * number + 1u, distance);
  addTo64(6u * number + 4u, velocity);
}

@compute @workgroup_size(GROUP)
fn spread(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var group = NONE;
  var scales = vec2f(0.0);
  var distance = vec2u(0u);
  var velocity = vec2u(0u);
  for (var i = run.x; i < run.y; i++) {
    let here = numberOf(i);
    if (here != group) {
      addSquares(group, distance, velocity);
      group = here;
      distance = vec2u(0u);
      velocity = vec2u(0u);
      if (here != NONE) { scales = vec2f(integerScale(atomicLoad(&totals[6u * here])), integerScale(atomicLoad(&totals[6u * here + 3u]))); }
    }
    if (here == NONE) { continue; }
    let mass = f32(massOf(i)) * (1.0 / f32(MASS_UNITS));
    let terms = vec2u(squaresOf(centres[here], i) * scales * mass + vec2f(0.5));
    distance = plus(distance, vec2u(terms.x, 0u));
    velocity = plus(velocity, vec2u(terms.y, 0u));
  }
  addSquares(group, distance, velocity);
}
