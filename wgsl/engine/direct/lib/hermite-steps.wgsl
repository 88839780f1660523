// Criteria of the time step and their powers of two. Sizes of the acceleration a, jerk j, snap s, crackle c, a4 and a5
// at the end of a step, each times the power of h = step/2 that makes it an acceleration: results in units of h.
//   4th order  √(ν(|a||s| + |j|²)/(|j||c| + |s|²))            (Portegies Zwart+ 2007, eq. 9)
//   6th order  η[(|a||s| + |j|²)/(|c||a5| + |a4|²)]^{1/6}      (Nitadori & Makino 2008, eq. 34)
//#import "hermite-state.wgsl"
//#expects SHARED

const FOREVER = 1e30; // a step that is always too long: where nothing tells a step
const NOTHING = 1e-35; // below this an acceleration is none: its inverse would overflow
const SMALL = 1e-36; // a quotient beyond the inverse of this is FOREVER
const LEAST_NORMAL = 0x1p-126;
const FIRST_STEP = 0.125; // κ: a jerk or snap that happens to be small would make the first step far too long

fn largestOf(a: vec3f) -> f32 {
  return max(max(abs(a.x), abs(a.y)), abs(a.z));
}

// √(above/below), FOREVER where that is very long: a quotient that overflows would pass for a fault.
fn rootOfRatio(above: f32, below: f32) -> f32 {
  if (below < max(SMALL * above, LEAST_NORMAL)) { return FOREVER; }
  return sqrt(above / below);
}

// Lengths of vectors over a common scale, so that no square of them underflows that matters.
fn sizes(inverse: f32, a: vec3f, j: vec3f, s: vec3f, c: vec3f) -> vec4f {
  return vec4f(length(a * inverse), length(j * inverse), length(s * inverse), length(c * inverse));
}

// The length of one vector in units of that of another; FOREVER where the other vanishes beside it.
fn sizeRatio(a: vec3f, b: vec3f) -> f32 {
  let scale = max(largestOf(a), largestOf(b));
  if (scale < NOTHING) { return FOREVER; }
  let below = length(b / scale);
  if (below < SMALL) { return FOREVER; }
  return length(a / scale) / below;
}

fn step4(nu: f32, a: vec3f, j: vec3f, s: vec3f, c: vec3f) -> f32 {
  let scale = max(max(largestOf(a), largestOf(j)), max(largestOf(s), largestOf(c)));
  if (scale < NOTHING) { return FOREVER; }
  let n = sizes(1.0 / scale, a, j, s, c);
  return rootOfRatio(nu * fma(n.x, n.z, n.y * n.y), fma(n.y, n.w, n.z * n.z));
}

fn step6(eta: f32, a: vec3f, j: vec3f, s: vec3f, c: vec3f, a4: vec3f, a5: vec3f) -> f32 {
  let lower = max(max(largestOf(a), largestOf(j)), max(largestOf(s), largestOf(c)));
  let scale = max(lower, max(largestOf(a4), largestOf(a5)));
  if (scale < NOTHING) { return FOREVER; }
  let n = sizes(1.0 / scale, a, j, s, c);
  let n4 = length(a4 / scale);
  let n5 = length(a5 / scale);
  let root = rootOfRatio(fma(n.x, n.z, n.y * n.y), fma(n.w, n5, n4 * n4));
  return eta * pow(root, 1.0 / 3.0);
}

// The largest power of two of ticks that fits into a step given in units of the largest; 0 below a tick.
fn ticksWithin(step: f32) -> u32 {
  if (SHARED || step >= 1.0) { return LARGEST; }
  let exponent = i32(bitcast<u32>(step) >> 23u) - 127;
  if (exponent < -30) { return 0u; }
  return LARGEST >> u32(-exponent);
}

// The step after one of `taken` ticks that ended at tick `now`: halved as often as wanted, doubled once where the
// doubled step fits into the hierarchy of times.
fn stepAfter(wanted: f32, taken: u32, now: u32) -> u32 {
  let limit = ticksWithin(wanted);
  if (limit <= taken) { return limit; }
  let fits = taken < LARGEST && (now & (2u * taken - 1u)) == 0u;
  return select(taken, 2u * taken, fits);
}
