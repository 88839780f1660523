// Counts the cells that hold particles, from the cell starts, and the particles of the fullest pencil (2 x 2 rows, which
// follow one another): how crowded the cells are, which decides the deposit's shape on processors.
//#import "../../../lib/grid.wgsl"
//#expects CELLS

@group(0) @binding(0) var<storage, read> cellStart: array<u32>; // [n^3 + 2], of a slab [planes·n^2 + 2]
@group(0) @binding(1) var<storage, read_write> found: array<atomic<u32>, 2>; // cells and particles, zeroed before

const GROUP = 64u;
const SIDE = u32(CELLS);

// Each invocation takes one pencil.
@compute @workgroup_size(GROUP)
fn occupancy(invocation: Invocation) {
  let pencil = flatIndex(invocation, GROUP);
  if (pencil >= (arrayLength(&cellStart) - 2u) / (4u * SIDE)) { return; }
  let first = 4u * SIDE * pencil;
  var count = 0u;
  var start = cellStart[first];
  for (var k = 0u; k < 4u * SIDE; k++) {
    let end = cellStart[first + k + 1u];
    count += select(0u, 1u, end > start);
    start = end;
  }
  atomicAdd(&found[0], count);
  atomicMax(&found[1], start - cellStart[first]);
}
