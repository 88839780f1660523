// Sums over the particles of given ids, wherever they lie, independent of their order: integers, and fixed point scaled by
// a power of two from the largest value. Distances are in boxes, to the nearest image in a periodic box.
//   maps      mass units in the pixels of a picture
//   centre    number, mass units, mass·x of the particles in a sphere
//   largest   largest |v - velocity|² and |a|²
//   motion    mass·v of the particles in a sphere
//   ranks     number of particles by the bits of their squared distance: the leading ones, or those that follow them
//   shells    number and mass units between radii
//   rings     the same between radii about the z axis, with velocities there, their squares and the pull inward
// Words of `totals` are laid out as in src/diagnostics/reduction-words.ts.
//#import "../lib/grid.wgsl"
//#import "../lib/sums.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#import "../lib/box-image.wgsl"
//#expects ISOLATED, MASS_UNITS, RUN, MOST_RANGES, LARGEST_SPEED2, LARGEST_ACCELERATION2, SCALES_AT, TOTALS_AT, RING_WORDS
//#expects RANK_SHIFT, LOWEST_RANK, RANKS

struct Side { // of a map
  axis: u32,
  start: u32, // first unit, and the box that it is in
  startBox: i32,
  pixels: u32,
  table: u32, // where in `table` the last units of its pixels begin
  perUnit: f32, // pixels
  unused: vec2u,
}

struct Request {
  centre: vec3u,
  centreImage: u32,
  velocity: vec3f,
  radius2: f32, // of the sphere [boxes²]
  right: Side,
  up: Side,
  box: f32, // [length]
  farthest: f32, // outermost ring [length]
  flat: u32,
  edges: u32, // in `table`, squares [boxes²]
  level: u32, // of ranks
  chosen: u32, // leading bits
  rangeCount: u32, // 0: all particles
  unused: u32,
  ranges: array<vec4u, MOST_RANGES>, // first id and the one past the last
}

@group(0) @binding(0) var<uniform> request: Request;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> massUnits: array<u32>; // unequal masses
@group(0) @binding(6) var<storage, read> accelerations: array<f32>; // [N, 3]
@group(0) @binding(7) var<storage, read> table: array<u32>; // last units of pixels, or squares of edges
@group(0) @binding(8) var<storage, read_write> totals: array<atomic<u32>>;

const GROUP = 64u;
const QUANTITIES = 8u;
const NOWHERE = 0xffffffffu;

// First slot of an invocation and the one past its last.
fn slots(invocation: Invocation) -> vec2u {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  return vec2u(first, min(first + u32(RUN), arrayLength(&ids)));
}

fn wanted(slot: u32) -> bool {
  if (request.rangeCount == 0u) { return true; }
  let id = ids[slot];
  for (var i = 0u; i < request.rangeCount; i++) {
    if (id >= request.ranges[i].x && id < request.ranges[i].y) { return true; }
  }
  return false;
}

// From the centre [boxes].
fn separation(slot: u32) -> vec3f {
  let u = positionOf(slot);
  if (ISOLATED) {
    let boxes = imageOffsets(imageOf(slot)) - imageOffsets(request.centreImage);
    let within = vec3i(u >> vec3u(1u)) - vec3i(request.centre >> vec3u(1u));
    return vec3f(boxes) + vec3f(within) * 0x1p-31;
  }
  return vec3f(bitcast<vec3i>(u - request.centre)) * 0x1p-32;
}

// Squared distance [boxes²].
fn distance2(slot: u32) -> f32 {
  let d = separation(slot);
  return d.x * d.x + d.y * d.y + select(d.z * d.z, 0.0, request.flat != 0u);
}

fn velocityOf(slot: u32) -> vec3f {
  return vec3f(velocities[3u * slot], velocities[3u * slot + 1u], velocities[3u * slot + 2u]);
}

fn accelerationOf(slot: u32) -> vec3f {
  return vec3f(accelerations[3u * slot], accelerations[3u * slot + 1u], accelerations[3u * slot + 2u]);
}

// A 64-bit total of two words.
fn addWide(at: u32, term: vec2u) {
  let carry = select(0u, 1u, atomicAdd(&totals[at], term.x) > ~term.x);
  let high = term.y + carry;
  if (high != 0u) { atomicAdd(&totals[at + 1u], high); }
}

// The pixel on one side of the map.
fn pixelOn(side: Side, u: vec3u, boxes: vec3i) -> u32 {
  let units = u[side.axis] - side.start;
  if (ISOLATED) {
    let borrow = select(0, 1, u[side.axis] < side.start);
    if (boxes[side.axis] - side.startBox != borrow) { return NOWHERE; }
  }
  if (units > table[side.table + side.pixels - 1u]) { return NOWHERE; }
  // A float32 is right to a thousandth of a pixel.
  let pixel = min(u32(f32(units) * side.perUnit), side.pixels - 1u);
  if (units > table[side.table + pixel]) { return pixel + 1u; }
  if (pixel > 0u && units <= table[side.table + pixel - 1u]) { return pixel - 1u; }
  return pixel;
}

@compute @workgroup_size(GROUP)
fn maps(invocation: Invocation) {
  let range = slots(invocation);
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let u = positionOf(slot);
    let boxes = imageOffsets(imageOf(slot));
    let column = pixelOn(request.right, u, boxes);
    let row = pixelOn(request.up, u, boxes);
    if (column == NOWHERE || row == NOWHERE) { continue; }
    let pixel = (request.up.pixels - 1u - row) * request.right.pixels + column;
    let mass = massOf(slot);
    // All low words, then all high ones, which few ever touch.
    if (atomicAdd(&totals[pixel], mass) > ~mass) {
      atomicAdd(&totals[request.right.pixels * request.up.pixels + pixel], 1u);
    }
  }
}

fn inSphere(slot: u32) -> bool {
  return distance2(slot) <= request.radius2;
}

@compute @workgroup_size(GROUP)
fn centre(invocation: Invocation) {
  let range = slots(invocation);
  var sums: Sums;
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot) || !inSphere(slot)) { continue; }
    let u = positionOf(slot);
    let mass = massOf(slot);
    let boxes = imageOffsets(imageOf(slot));
    sums[0] = plus(sums[0], vec2u(1u, 0u));
    sums[1] = plus(sums[1], vec2u(mass, 0u));
    for (var axis = 0; axis < 3; axis++) {
      sums[2 + axis] = plus(sums[2 + axis], product(mass, u[axis] >> 8u));
      sums[5 + axis] = plus(sums[5 + axis], signedTerm(i32(mass) * boxes[axis]));
    }
  }
  addToTotals(&sums, u32(TOTALS_AT), invocation.local);
}

@compute @workgroup_size(GROUP)
fn largest(invocation: Invocation) {
  let range = slots(invocation);
  // Bits sort like the numbers, and above them all what is no number.
  var speed2 = 0u;
  var acceleration2 = 0u;
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let v = velocityOf(slot) - request.velocity;
    let a = accelerationOf(slot);
    speed2 = max(speed2, bitcast<u32>(dot(v, v)));
    acceleration2 = max(acceleration2, bitcast<u32>(dot(a, a)));
  }
  atomicMax(&totals[LARGEST_SPEED2], speed2);
  atomicMax(&totals[LARGEST_ACCELERATION2], acceleration2);
}

// The power of two that takes every |q| <= bound below 2^30. Exponent fields stay those of normal numbers.
fn scaleFor(bound: f32) -> f32 {
  return bitcast<f32>((283u - clamp(bitcast<u32>(bound) >> 23u, 30u, 254u)) << 23u);
}

fn largestValue(which: i32) -> f32 {
  return sqrt(bitcast<f32>(atomicLoad(&totals[which])));
}

// For the host, which is not to work them out anew.
fn keepScale(which: u32, scale: f32, invocation: Invocation) {
  if (flatIndex(invocation, GROUP) == 0u) { atomicStore(&totals[u32(SCALES_AT) + which], bitcast<u32>(scale)); }
}

// q to an integer at its scale, times the mass as a fraction of the heaviest.
fn term(q: f32, scale: f32, mass: f32) -> vec2u {
  return signedTerm(i32(round(q * scale * mass)));
}

@compute @workgroup_size(GROUP)
fn motion(invocation: Invocation) {
  let range = slots(invocation);
  let scale = scaleFor(largestValue(LARGEST_SPEED2));
  keepScale(0u, scale, invocation);
  var sums: Sums;
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot) || !inSphere(slot)) { continue; }
    let v = velocityOf(slot);
    let units = massOf(slot);
    let mass = f32(units) / f32(MASS_UNITS);
    sums[1] = plus(sums[1], vec2u(units, 0u));
    for (var axis = 0; axis < 3; axis++) {
      sums[2 + axis] = plus(sums[2 + axis], term(v[axis], scale, mass));
    }
  }
  addToTotals(&sums, u32(TOTALS_AT), invocation.local);
}

@compute @workgroup_size(GROUP)
fn ranks(invocation: Invocation) {
  let range = slots(invocation);
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let bits = bitcast<u32>(distance2(slot));
    let leading = clamp(bits >> u32(RANK_SHIFT), u32(LOWEST_RANK), u32(LOWEST_RANK + RANKS - 1)) - u32(LOWEST_RANK);
    if (request.level == 0u) {
      atomicAdd(&totals[leading], 1u);
    } else if (leading == request.chosen) {
      atomicAdd(&totals[bits & ((1u << u32(RANK_SHIFT)) - 1u)], 1u);
    }
  }
}

// Bin of a squared distance among the edges.
fn binOf(r2: f32) -> u32 {
  let edges = request.edges;
  if (r2 < bitcast<f32>(table[0]) || r2 >= bitcast<f32>(table[edges - 1u])) { return NOWHERE; }
  var low = 0u;
  var high = edges - 1u;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (r2 < bitcast<f32>(table[middle])) { high = middle; } else { low = middle; }
  }
  return low;
}

// Neighbours in memory often share a bin: what they have goes there at once.
fn keepShell(bin: u32, count: u32, mass: vec2u) {
  if (count == 0u) { return; }
  let at = u32(TOTALS_AT) + bin * u32(RING_WORDS);
  atomicAdd(&totals[at], count);
  addWide(at + 1u, mass);
}

@compute @workgroup_size(GROUP)
fn shells(invocation: Invocation) {
  let range = slots(invocation);
  var bin = NOWHERE;
  var count = 0u;
  var mass = vec2u(0u);
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let own = binOf(distance2(slot));
    if (own == NOWHERE) { continue; }
    if (own != bin) {
      keepShell(bin, count, mass);
      bin = own;
      count = 0u;
      mass = vec2u(0u);
    }
    count += 1u;
    mass = plus(mass, vec2u(massOf(slot), 0u));
  }
  keepShell(bin, count, mass);
}

@compute @workgroup_size(GROUP)
fn rings(invocation: Invocation) {
  let range = slots(invocation);
  let speed = largestValue(LARGEST_SPEED2);
  let scale = scaleFor(speed);
  let scale2 = scaleFor(speed * speed);
  let scaleInward = scaleFor(request.farthest * largestValue(LARGEST_ACCELERATION2));
  keepScale(0u, scale, invocation);
  keepScale(1u, scale2, invocation);
  keepScale(2u, scaleInward, invocation);
  var bin = NOWHERE;
  var count = 0u;
  var mass = vec2u(0u);
  var sums: array<vec2u, 7>;
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let d = separation(slot).xy;
    let r2 = d.x * d.x + d.y * d.y;
    let own = binOf(r2);
    if (own == NOWHERE || r2 == 0.0) { continue; }
    if (own != bin) {
      keepShell(bin, count, mass);
      if (count > 0u) { keepMotion(bin, &sums); }
      bin = own;
      count = 0u;
      mass = vec2u(0u);
      sums = array<vec2u, 7>();
    }
    let units = massOf(slot);
    let share = f32(units) / f32(MASS_UNITS);
    let v = velocityOf(slot) - request.velocity;
    let a = accelerationOf(slot);
    let outward = d / sqrt(r2);
    let radial = dot(outward, v.xy);
    let azimuthal = outward.x * v.y - outward.y * v.x;
    let inward = -request.box * dot(d, a.xy);
    count += 1u;
    mass = plus(mass, vec2u(units, 0u));
    sums[0] = plus(sums[0], term(radial, scale, share));
    sums[1] = plus(sums[1], term(azimuthal, scale, share));
    sums[2] = plus(sums[2], term(v.z, scale, share));
    sums[3] = plus(sums[3], term(radial * radial, scale2, share));
    sums[4] = plus(sums[4], term(azimuthal * azimuthal, scale2, share));
    sums[5] = plus(sums[5], term(v.z * v.z, scale2, share));
    sums[6] = plus(sums[6], term(inward, scaleInward, share));
  }
  keepShell(bin, count, mass);
  if (count > 0u) { keepMotion(bin, &sums); }
}

fn keepMotion(bin: u32, sums: ptr<function, array<vec2u, 7>>) {
  let at = u32(TOTALS_AT) + bin * u32(RING_WORDS) + 3u;
  for (var i = 0u; i < 7u; i++) {
    addWide(at + 2u * i, (*sums)[i]);
  }
}
