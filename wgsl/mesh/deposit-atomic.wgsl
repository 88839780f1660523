// Deposit by atomics: an invocation takes RUN consecutive particles, keeps running sums of the columns of cells around
// the current base cell and adds those that it leaves behind to the mesh, 64 bits wide: a carry out of the low word
// goes to the high one. RUN = 1 is the direct deposit, a particle an invocation; longer runs pay where the particles
// are ordered by cell and crowded. The mesh must be zero before.
//#import "../lib/grid.wgsl"
//#import "../lib/cells.wgsl"
//#import "../lib/mass.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#expects CELLS, RUN, PITCH, ISOLATED, ORDER, leaveColumns, addToColumns

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(3) var<storage, read_write> field: array<atomic<u32>>; // [n^2 rows, PITCH]
@group(0) @binding(4) var<storage, read_write> high: array<atomic<u32>>; // [n^3]
@group(0) @binding(5) var<storage, read> images: array<u32>; // [N], isolated

const GROUP = 64u;
const SIDE = u32(CELLS);
// A run's sums must not overflow: fewer than 1024 particles of at most 2^22 units.
const_assert RUN < 1024;

// Adds to a cell, wrapped into the mesh.
fn addTo(cell: vec3u, mass: u32) {
  if (mass == 0u) { return; }
  let wrapped = cell % vec3u(SIDE);
  let row = wrapped.z * SIDE + wrapped.y;
  let before = atomicAdd(&field[row * u32(PITCH) + wrapped.x], mass);
  if (before > ~mass) { atomicAdd(&high[row * SIDE + wrapped.x], 1u); }
}

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  let last = min(first + u32(RUN), arrayLength(&ids));
  var base = vec3u(0u);
  for (var i = first; i < last; i++) {
    let u = positionOf(i);
    let cell = baseOf(u).cell;
    if (ISOLATED && !insideMesh(cell, imageOf(i))) { continue; }
    var left = u32(ORDER); // columns left behind
    if (all(cell.yz == base.yz) && cell.x >= base.x) { left = min(cell.x - base.x, u32(ORDER)); }
    leaveColumns(base, left);
    base = cell;
    addToColumns(massOf(i), offsetsInCell(u));
  }
  leaveColumns(base, u32(ORDER));
}
