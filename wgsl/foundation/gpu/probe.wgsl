// Small kernels that check and measure an adapter, for `gravmesh doctor` and the benchmarks. One array in, one out.
//#import "../../lib/grid.wgsl"
//#import "../../lib/wide-product.wgsl"

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;

const SIZE = 256u;

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

// High and low word of source.x · source.y, and, of the floats in source.z and source.w, sum and product.
@compute @workgroup_size(256)
fn arithmetic(invocation: Invocation) {
  let i = flatIndex(invocation, SIZE);
  if (i < params.count) {
    let s = source[i];
    let product = wideProduct(s.x, s.y);
    let z = bitcast<f32>(s.z);
    let w = bitcast<f32>(s.w);
    result[i] = vec4u(product, bitcast<u32>(z + w), bitcast<u32>(z * w));
  }
}

// Of the float in source.z: the nearest integer, signed and of its size, and of the float in source.w and the integer in
// source.x: the signed integer towards zero, and the float.
@compute @workgroup_size(256)
fn conversions(invocation: Invocation) {
  let i = flatIndex(invocation, SIZE);
  if (i < params.count) {
    let s = source[i];
    let z = bitcast<f32>(s.z);
    result[i] = vec4u(
      bitcast<u32>(i32(round(z))),
      u32(round(abs(z))),
      bitcast<u32>(i32(bitcast<f32>(s.w))),
      bitcast<u32>(f32(s.x >> 8u) * 0x1p-24),
    );
  }
}

// Of the floats in source.z and source.w > 0: z/w, √w, 1/√w and z·w − z, which tells whether fma rounds once.
@compute @workgroup_size(256)
fn functions(invocation: Invocation) {
  let i = flatIndex(invocation, SIZE);
  if (i < params.count) {
    let z = bitcast<f32>(source[i].z);
    let w = bitcast<f32>(source[i].w);
    result[i] = bitcast<vec4u>(vec4f(z / w, sqrt(w), inverseSqrt(w), fma(z, w, -z)));
  }
}
