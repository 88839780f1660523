// Double-single arithmetic on numbers that the host chose and checks bit by bit (src/engine/direct/arithmetic.ts).
// A row holds two pairs a and b per axis; results are those of lib/double-single.wgsl and the separation of
// lib/force-pair.wgsl, which the force kernels use.
//#import "lib/body.wgsl"
//#import "lib/force-pair.wgsl"

struct Params {
  count: u32,
  zero: u32, // stays 0, see lib/double-single.wgsl
}

struct Results {
  sum: Pair3,     // of the high words, exact
  product: Pair3, // of the high words, exact
  pairSum: Pair3,
  pairProduct: Pair3,
  separation: vec3f,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> here: array<Body>;
@group(0) @binding(2) var<storage, read> there: array<Body>;
@group(0) @binding(3) var<storage, read_write> results: array<Results>;

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= params.count) { return; }
  pairZero = params.zero;
  let a = Pair3(here[i].position, here[i].positionLow);
  let b = Pair3(there[i].position, there[i].positionLow);
  results[i] = Results(
    twoSum3(a.high, b.high),
    twoProduct3(a.high, b.high),
    pairAdd3(a, b),
    pairMultiply3(a, b),
    separation(here[i], there[i]),
  );
}
