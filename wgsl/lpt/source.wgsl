// Source of the second-order potential, Σ_{i>j} (φ,ii φ,jj − φ,ij²), from one second derivative of φ₁ at a time:
//   source = φ,11 φ,22;  φ,11 ← φ,11 + φ,22;  source += (φ,11 + φ,22) φ,33;  source −= φ,ij².
// All words of a slab of the meshes, padding included.
//#import "../lib/grid.wgsl"

@group(0) @binding(0) var<storage, read_write> along: array<f32>; // φ,11, then φ,11 + φ,22
@group(0) @binding(1) var<storage, read> derivative: array<f32>; // φ,22; φ,33; φ,ij
@group(0) @binding(2) var<storage, read_write> source: array<f32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn firstPair(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&source)) { return; }
  let a = along[i];
  let b = derivative[i];
  source[i] = a * b;
  along[i] = a + b;
}

@compute @workgroup_size(GROUP)
fn otherPairs(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&source)) { return; }
  source[i] += along[i] * derivative[i];
}

@compute @workgroup_size(GROUP)
fn mixed(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&source)) { return; }
  let b = derivative[i];
  source[i] -= b * b;
}
