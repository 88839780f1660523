// Adds what the mesh gives to each particle, by slot, to the sums of pairs, which lie apart with substeps; nothing is outside an
// isolated mesh. The sums come first, so that they are the same numbers where another rank has summed them.
//#import "../../lib/section.wgsl"
//#import "../../lib/cells.wgsl"
//#import "../../lib/interpolate.wgsl"
//#import "../mesh/mesh-field.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#expects ISOLATED, SUBSTEPS

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(2) var<storage, read_write> fields: array<vec4f>; // [N] the sums of pairs, then the whole
@group(0) @binding(5) var<storage, read> meshPotential: array<f32>; // [n² rows × PITCH]
//#if SUBSTEPS
@group(0) @binding(8) var<storage, read> fast: array<vec4f>; // [N] the sums of pairs
//#end

const LANES = 64u;

@compute @workgroup_size(LANES)
fn meshPart(invocation: Invocation) {
  let slot = flatIndex(invocation, LANES);
  if (slot >= arrayLength(&fields)) { return; }
  let base = baseOf(positionOf(slot));
//#if SUBSTEPS
  let ofPairs = fast[slot];
//#end
//#if !SUBSTEPS
  let ofPairs = fields[slot];
//#end
  var field = vec4f();
  if (!ISOLATED || insideMesh(base.cell, imageOf(slot))) { field = ofPairs + interpolatedAt(base); }
  fields[slot] = field;
}
