// Counts the cells that hold particles, from the cell starts, and the particles of the fullest row of cells: these tell
// how crowded the cells are, which decides the fastest shape of the deposit.
//#import "../lib/grid.wgsl"
//#expects CELLS

@group(0) @binding(0) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(1) var<storage, read_write> found: array<atomic<u32>, 2>; // cells and particles, zeroed before

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
  atomicAdd(&found[0], count);
  atomicMax(&found[1], start - cellStart[row * SIDE]);
}
