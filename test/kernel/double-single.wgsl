// Every function of lib/double-single.wgsl on numbers that the test chose, scalars and vectors side by side.
//#import "../../wgsl/lib/double-single.wgsl"

struct Params {
  count: u32,
  zero: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> operands: array<vec4f>; // a.high, a.low, b.high, b.low
@group(0) @binding(2) var<storage, read_write> scalars: array<Pair>;
@group(0) @binding(3) var<storage, read_write> vectors: array<Pair3>;

const FUNCTIONS = 9u;

@compute @workgroup_size(64)
fn evaluate(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.count) { return; }
  pairZero = params.zero;
  let o = operands[id.x];
  let at = FUNCTIONS * id.x;
  let a = Pair(o.x, o.y);
  let b = Pair(o.z, o.w);
  let larger = select(b.high, a.high, abs(a.high) >= abs(b.high));
  let smaller = select(a.high, b.high, abs(a.high) >= abs(b.high));
  scalars[at] = twoSum(a.high, b.high);
  scalars[at + 1u] = quickTwoSum(larger, smaller);
  scalars[at + 2u] = twoProduct(a.high, b.high);
  scalars[at + 3u] = pairAddFloat(a, b.high);
  scalars[at + 4u] = pairAdd(a, b);
  scalars[at + 5u] = pairSubtract(a, b);
  let times = pairTimesFloat3(Pair3(vec3f(a.high), vec3f(a.low)), vec3f(b.high)); // has no scalar counterpart
  scalars[at + 6u] = Pair(times.high.x, times.low.x);
  scalars[at + 7u] = pairMultiply(a, b);
  scalars[at + 8u] = pairMultiply(b, b);

  let turn = vec3f(1.0, -1.0, 0.5);
  let a3 = Pair3(a.high * turn, a.low * turn);
  let b3 = Pair3(b.high * turn, b.low * turn);
  vectors[at] = twoSum3(a3.high, b3.high);
  vectors[at + 1u] = quickTwoSum3(larger * turn, smaller * turn);
  vectors[at + 2u] = twoProduct3(a3.high, vec3f(b.high));
  vectors[at + 3u] = pairAddFloat3(a3, b3.high);
  vectors[at + 4u] = pairAdd3(a3, b3);
  vectors[at + 5u] = pairSubtract3(a3, b3);
  vectors[at + 6u] = pairTimesFloat3(a3, vec3f(b.high));
  vectors[at + 7u] = pairMultiply3(a3, Pair3(vec3f(b.high), vec3f(b.low)));
  vectors[at + 8u] = pairScale3(b3, b);
}
