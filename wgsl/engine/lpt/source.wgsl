// Source of the second-order potential, Σ_{i>j} (φ,ii φ,jj − φ,ij²), from one second derivative of φ₁ at a time:
//   source += φ,11 φ,22;  φ,11 ← φ,11 + φ,22;  source += (φ,11 + φ,22) φ,33;  source −= φ,ij².
// All words of a slab of the meshes, padding included. The source begins as buffers do, with zeros.
//#import "../../lib/grid.wgsl"

@group(0) @binding(0) var<storage, read_write> along: array<f32>; // φ,11, then the sum with what has come
@group(0) @binding(1) var<storage, read> derivative: array<f32>; // φ,22; φ,33; φ,ij
@group(0) @binding(2) var<storage, read_write> source: array<f32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn pairs(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&source)) { return; }
  let b = derivative[i];
  source[i] += along[i] * b;
  along[i] += b;
}

@compute @workgroup_size(GROUP)
fn mixed(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&source)) { return; }
  let b = derivative[i];
  source[i] -= b * b;
}
