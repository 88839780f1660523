// Counts the cells that hold particles, from the cell starts: with the number of particles it tells how crowded they
// are, which decides the fastest shape of the deposit.
//#import "../lib/grid.wgsl"
//#expects CELLS

@group(0) @binding(0) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(1) var<storage, read_write> occupied: atomic<u32>; // zeroed before

const GROUP = 64u;
const SIDE = u32(CELLS);

// An invocation a row of cells.
@compute @workgroup_size(GROUP)
fn occupancy(invocation: Invocation) {
  let row = flatIndex(invocation, GROUP);
  if (row >= SIDE * SIDE) { return; }
  var count = 0u;
  var start = cellStart[row * SIDE];
  for (var x = 0u; x < SIDE; x++) {
    let end = cellStart[row * SIDE + x + 1u];
    count += select(0u, 1u, end > start);
    start = end;
  }
  atomicAdd(&occupied, count);
}
