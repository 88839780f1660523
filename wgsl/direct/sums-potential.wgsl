// Potential of all particles with mass at each of them to the precision of pairs, φ = −Σ Gm/√(r² + ε²), for the energy: an
// integrator conserves that to 1e-10, and float32 potentials can't show it. An invocation sums over all sources for one
// particle of a range.
//#import "../lib/grid.wgsl"
//#import "../lib/double-single.wgsl"

// As in lib/hermite-state.wgsl; velocity and step don't matter.
struct Particle {
  position: vec3f,
  mass: f32, // G·m
  positionLow: vec3f,
  id: u32,
  velocity: vec3f,
  time: u32,
  velocityLow: vec3f,
  step: u32,
}

struct Range {
  first: u32,
  end: u32,
  sources: u32, // particles up to the last with mass
  zero: u32, // stays 0, see lib/double-single.wgsl
  softening2: vec2f, // ε², high and low word
}

@group(0) @binding(0) var<uniform> range: Range;
@group(0) @binding(1) var<storage, read> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> potentials: array<vec2f>; // high and low word

const GROUP = 64u;
// Sources between two turns of the outer loop.
const RUN = 64u;

// 1/√s, by a step of Newton's iteration from the float32 value.
fn inverseRoot(s: Pair) -> Pair {
  let start = inverseSqrt(s.high);
  let near1 = pairMultiply(twoProduct(start, start), s);
  let missing = kept(kept(1.0 - near1.high) - near1.low);
  return quickTwoSum(start, 0.5 * start * missing);
}

@compute @workgroup_size(GROUP)
fn potential(invocation: Invocation) {
  pairZero = range.zero;
  let i = range.first + flatIndex(invocation, GROUP);
  if (i >= range.end) { return; }
  let here = particles[i];
  let softening2 = Pair(range.softening2.x, range.softening2.y);
  var depth = Pair(0.0, 0.0);
  for (var first = 0u; first < range.sources; first += RUN) {
    for (var k = 0u; k < RUN; k++) { // to a constant: see force.wgsl
      let j = first + k;
      if (j >= range.sources) { break; }
      let there = particles[j];
      let r = pairSubtract3(Pair3(there.position, there.positionLow), Pair3(here.position, here.positionLow));
      let squares = pairMultiply3(r, r);
      let xy = pairAdd(Pair(squares.high.x, squares.low.x), Pair(squares.high.y, squares.low.y));
      let s = pairAdd(xy, pairAdd(Pair(squares.high.z, squares.low.z), softening2));
      if (j == i || s.high == 0.0) { continue; }
      depth = pairAdd(depth, pairTimesFloat(inverseRoot(s), there.mass));
    }
  }
  potentials[i] = vec2f(-depth.high, -depth.low);
}
