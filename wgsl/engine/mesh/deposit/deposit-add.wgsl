// Adds mass to a cell by atomics, 64 bits wide: a carry out of the low word goes to the high one. The mesh must be zero
// before. Of a mesh in slabs a dispatch adds to the planes of one.
//#import "../../../lib/section.wgsl"
//#expects CELLS, PITCH, GHOSTS (planes of the field before the slab's own)

@group(0) @binding(3) var<storage, read_write> field: array<atomic<u32>>; // [n^2 rows, PITCH]
@group(0) @binding(4) var<storage, read_write> high: array<atomic<u32>>; // [n^3]

const SIDE = u32(CELLS);

fn wordOf(cell: vec3u) -> u32 {
  return (planeInSlab(cell.z, u32(GHOSTS)) * SIDE + cell.y) * u32(PITCH) + cell.x;
}

// The cell is wrapped into the mesh.
fn addToMesh(cell: vec3u, mass: u32) {
  if (mass == 0u) { return; }
  let wrapped = cell % vec3u(SIDE);
  if (!isOwnPlane(wrapped.z)) { return; }
  let before = atomicAdd(&field[wordOf(wrapped)], mass);
  if (before > ~mass) { atomicAdd(&high[(planeInSlab(wrapped.z, 0u) * SIDE + wrapped.y) * SIDE + wrapped.x], 1u); }
}
