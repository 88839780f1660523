// NGP deposit from particles in cell order: a cell's mass is that of the particles between its start and the next.
// Each invocation takes one cell.
//#import "../../../lib/grid.wgsl"
//#import "../../../lib/cells.wgsl"
//#import "../../gpu-particles/mass.wgsl"
//#expects CELLS, EQUAL_MASSES, MASS_UNITS, PITCH

@group(0) @binding(0) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(1) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(3) var<storage, read_write> field: array<u32>; // [n^2 rows, PITCH]
@group(0) @binding(4) var<storage, read_write> high: array<atomic<u32>>; // [n^3]

const GROUP = 64u;
const SIDE = u32(CELLS);

@compute @workgroup_size(GROUP)
fn cells(invocation: Invocation) {
  let cell = flatIndex(invocation, GROUP);
  if (cell >= SIDE * SIDE * SIDE) { return; }
  let row = cell / SIDE;
  let place = cellPlace(vec3u(cell % SIDE, row % SIDE, row / SIDE));
  let first = cellStart[place];
  let end = cellStart[place + 1u];
  var low = 0u;
  var carried = 0u;
  if (EQUAL_MASSES) {
    // count * MASS_UNITS in 64 bits: the unit is a power of two.
    low = (end - first) * MASS_UNITS;
    carried = (end - first) / (0x80000000u / MASS_UNITS * 2u);
  } else {
    for (var i = first; i < end; i++) {
      let mass = massOf(i);
      low += mass;
      carried += select(0u, 1u, low < mass);
    }
  }
  field[row * u32(PITCH) + cell % SIDE] = low;
  if (carried > 0u) { atomicAdd(&high[cell], carried); }
}
