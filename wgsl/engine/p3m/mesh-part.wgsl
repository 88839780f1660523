// Adds what the mesh gives to each particle, by slot, to the sums of pairs; nothing is outside an isolated mesh. The sums come
// first, so that they are the same numbers where another rank has summed them.
//#import "../../lib/section.wgsl"
//#import "../../lib/cells.wgsl"
//#import "../../lib/interpolate.wgsl"
//#import "../mesh/mesh-field.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#expects ISOLATED

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(2) var<storage, read_write> fields: array<vec4f>; // [N]
@group(0) @binding(5) var<storage, read> meshPotential: array<f32>; // [n² rows × PITCH]

const LANES = 64u;

@compute @workgroup_size(LANES)
fn meshPart(invocation: Invocation) {
  let slot = flatIndex(invocation, LANES);
  if (slot >= arrayLength(&fields)) { return; }
  let base = baseOf(positionOf(slot));
  var field = vec4f();
  if (!ISOLATED || insideMesh(base.cell, imageOf(slot))) { field = fields[slot] + interpolatedAt(base); }
  fields[slot] = field;
}
