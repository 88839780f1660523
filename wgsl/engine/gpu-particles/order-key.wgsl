// The sorting key of the particle in a slot: its base cell's place, n^3 outside an isolated mesh.
//#import "../../lib/cells.wgsl"
//#import "image.wgsl"
//#import "position.wgsl"

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]

fn keyOf(i: u32) -> u32 {
  return cellKey(positionOf(i), imageOf(i));
}
