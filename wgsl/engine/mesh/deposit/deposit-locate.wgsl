// The GPU's part of the host's deposit (the mixed histogram of AAD09 §2): base cell and offsets of each particle, for the
// host to accumulate.
//#import "../../../lib/grid.wgsl"
//#import "../../../lib/cells.wgsl"
//#import "../../../lib/mass.wgsl"
//#import "../../gpu-particles/image.wgsl"
//#import "../../gpu-particles/position.wgsl"
//#expects CELLS, HAS_OUTSIDE

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read_write> keys: array<u32>; // [N] base cell, x fastest, n^3 outside
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>; // [N, 3] in the cell [2^-24 cell]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn locate(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&keys)) { return; }
  let u = positionOf(i);
  let cell = baseOf(u).cell;
  let side = u32(CELLS);
  keys[i] = select((cell.z * side + cell.y) * side + cell.x, side * side * side, HAS_OUTSIDE && !insideMesh(cell, imageOf(i)));
  let o = offsetsInCell(u);
  offsets[3u * i] = o.x;
  offsets[3u * i + 1u] = o.y;
  offsets[3u * i + 2u] = o.z;
}
