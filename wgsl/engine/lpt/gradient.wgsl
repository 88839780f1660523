// One component of ψ₂ = ∇φ₂ from the source's spectrum: φ̂₂ = −Ŝ/k², ψ̂₂ = −i k_j Ŝ/k², zero at k = 0 and on the Nyquist planes.
//#import "../../lib/grid.wgsl"
//#import "lattice.wgsl"

struct Component {
  axis: vec3f,
  scale: f32, // L/(2π n³): the forward transform isn't normalised
  firstMode: u32, // of the slab
  modes: u32,
}

@group(0) @binding(0) var<uniform> component: Component;
@group(0) @binding(1) var<storage, read_write> spectrum: array<vec2f>; // of the source, then of the component

@compute @workgroup_size(GROUP)
fn gradient(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  if (index >= component.modes) { return; }
  let mode = modeAt(component.firstMode + index);
  let factor = component.scale * dot(component.axis, vec3f(mode.m)) / f32(max(mode.square, 1u));
  spectrum[index] = select(vec2f(0.0), turnedBack(spectrum[index]) * factor, mode.kept);
}
