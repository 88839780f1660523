// Sums over the particles of given ids, wherever they lie, independent of their order: integers, and fixed point scaled by
// a power of two from the largest value. Distances are in boxes, to the nearest image in a periodic box.
//   maps      mass units in the pixels of a picture
//   centre    number, mass units, mass·x of the particles in a sphere
//   largest   largest |v - velocity|² and |a|²
//   motion    mass·v of the particles in a sphere
//   ranks     number of particles by the bits of their squared distance: the leading ones, or those that follow them
//   velocityMap  mass, m v and m v² in the pixels of a picture, v along its line of sight
// Between radii: bins.wgsl. Words of `totals` are laid out as in src/engine/diagnostics/reduction-words.ts.
//#import "reduction-particles.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#import "../../lib/sums.wgsl"
//#expects MASS_UNITS, LARGEST_SPEED2, LARGEST_ACCELERATION2, TOTALS_AT, PIXEL_WORDS, RANK_SHIFT, LOWEST_RANK, RANKS

const QUANTITIES = 8u;

fn pixelOf(slot: u32) -> u32 {
  let u = positionOf(slot);
  let boxes = imageOffsets(imageOf(slot));
  let column = pixelOn(request.right, u, boxes);
  let row = pixelOn(request.up, u, boxes);
  let pixel = (request.up.pixels - 1u - row) * request.right.pixels + column;
  return select(pixel, NOWHERE, column == NOWHERE || row == NOWHERE);
}

@compute @workgroup_size(GROUP)
fn maps(invocation: Invocation) {
  let range = slots(invocation);
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let pixel = pixelOf(slot);
    if (pixel == NOWHERE) { continue; }
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
      sums[2 + axis] = plus(sums[2 + axis], scaledTerm(v[axis], scale, mass));
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

@compute @workgroup_size(GROUP)
fn velocityMap(invocation: Invocation) {
  let range = slots(invocation);
  let speed = largestValue(LARGEST_SPEED2);
  let scale = scaleFor(speed);
  let scale2 = scaleFor(speed * speed);
  keepScale(0u, scale, invocation);
  keepScale(1u, scale2, invocation);
  for (var slot = range.x; slot < range.y; slot++) {
    if (!wanted(slot)) { continue; }
    let pixel = pixelOf(slot);
    if (pixel == NOWHERE) { continue; }
    let at = u32(TOTALS_AT) + pixel * u32(PIXEL_WORDS);
    let units = massOf(slot);
    let share = f32(units) / f32(MASS_UNITS);
    let v = velocityOf(slot)[request.depth] - request.velocity[request.depth];
    addWide(at, vec2u(units, 0u));
    addWide(at + 2u, scaledTerm(v, scale, share));
    addWide(at + 4u, scaledTerm(v * v, scale2, share));
  }
}
