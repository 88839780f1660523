// Small kernels that check and measure an adapter, for `gravmesh doctor` and the benchmarks. One array in, one out.
//#import "../lib/grid.wgsl"
//#import "../lib/wide-product.wgsl"

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;

const SIZE = 256u;

// Rounds 0 <= w < 2^23 to the nearest integer: adding 2^23 leaves it in the low bits of the mantissa.
fn rounded(w: f32) -> u32 {
  return bitcast<u32>(w + 8388608.0) - 0x4B000000u;
}

// Copies: what a kernel can move at best.
@compute @workgroup_size(256)
fn copy(invocation: Invocation) {
  let i = flatIndex(invocation, SIZE);
  if (i < params.count) {
    result[i] = source[i];
  }
}

// 64-bit sum of source.x in two words with carry, into cells sums[2 (i mod 4)].
@compute @workgroup_size(256)
fn carry(invocation: Invocation) {
  let i = flatIndex(invocation, SIZE);
  if (i < params.count) {
    let x = source[i].x;
    let cell = 2u * (i % 4u);
    let old = atomicAdd(&sums[cell], x);
    if (old > ~x) {
      atomicAdd(&sums[cell + 1u], 1u);
    }
  }
}

// High and low word of source.x · source.y, the integer nearest to the float in source.z, and the float32 sum of
// source.z and source.w taken as floats.
@compute @workgroup_size(256)
fn arithmetic(invocation: Invocation) {
  let i = flatIndex(invocation, SIZE);
  if (i < params.count) {
    let s = source[i];
    let product = wideProduct(s.x, s.y);
    result[i] = vec4u(product, rounded(bitcast<f32>(s.z)), bitcast<u32>(bitcast<f32>(s.z) + bitcast<f32>(s.w)));
  }
}
