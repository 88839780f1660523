// Local non-Gaussianity, between a transform of φ to the lattice's points and one back: φ → φ², then each mode of φ² times what
// makes of it its share of A g: f_NL δ/Φ, and the division by |m|² and n³.
//#import "../../lib/grid.wgsl"
//#import "lattice.wgsl"

struct Slab {
  firstMode: u32,
  modes: u32, // half of the words of its points, padding included
}

@group(0) @binding(0) var<uniform> slab: Slab;
@group(0) @binding(1) var<storage, read> factors: array<f32>; // [3(n/2−1)² + 1] by |m|²
@group(0) @binding(2) var<storage, read_write> values: array<vec2f>; // two points, or a mode

@compute @workgroup_size(GROUP)
fn square(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= slab.modes) { return; }
  values[index] *= values[index];
}

@compute @workgroup_size(GROUP)
fn scale(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= slab.modes) { return; }
  let mode = modeAt(slab.firstMode + index);
  var factor = 0.0;
  if (mode.kept) { factor = factors[mode.square]; }
  values[index] *= factor;
}
