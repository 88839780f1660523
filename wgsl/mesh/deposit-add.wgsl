// Adds mass to a cell by atomics, 64 bits wide: a carry out of the low word goes to the high one. The mesh must be zero
// before.
//#expects CELLS, PITCH

@group(0) @binding(3) var<storage, read_write> field: array<atomic<u32>>; // [n^2 rows, PITCH]
@group(0) @binding(4) var<storage, read_write> high: array<atomic<u32>>; // [n^3]

const SIDE = u32(CELLS);

// The cell is wrapped into the mesh.
fn addTo(cell: vec3u, mass: u32) {
  if (mass == 0u) { return; }
  let wrapped = cell % vec3u(SIDE);
  let row = wrapped.z * SIDE + wrapped.y;
  let before = atomicAdd(&field[row * u32(PITCH) + wrapped.x], mass);
  if (before > ~mass) { atomicAdd(&high[row * SIDE + wrapped.x], 1u); }
}

// The same for a sum that can't overflow its word.
fn addWithoutCarry(cell: vec3u, mass: u32) {
  let wrapped = cell % vec3u(SIDE);
  atomicAdd(&field[(wrapped.z * SIDE + wrapped.y) * u32(PITCH) + wrapped.x], mass);
}
