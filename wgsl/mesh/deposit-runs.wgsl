// Deposit by running sums and atomics, for crowded particles in order: an invocation takes RUN consecutive particles and
// sums those of a cell; with TSC also what the cells at one x of a pencil (2 x 2 rows) add to the rows around them, of
// which it adds a column to the mesh when it is complete.
//#import "../lib/grid.wgsl"
//#import "../lib/cells.wgsl"
//#import "../lib/mass.wgsl"
//#import "../lib/section.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#expects RUN, ORDER, isDeposited (of base cell, position and image), addToCell, leaveCell, leaveColumns

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(5) var<storage, read> images: array<u32>; // [N], isolated

const GROUP = 64u;
// A run's sums must not overflow: fewer than 1024 particles of at most 2^22 units.
const_assert RUN < 1024;

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let slots = slotsOfSection(arrayLength(&ids));
  let first = slots.x + flatIndex(invocation, GROUP) * u32(RUN);
  let last = min(first + u32(RUN), slots.y);
  if (first >= last) { return; }
  var base = baseOf(positionOf(first)).cell;
  // One turn more than there are particles leaves the last cell: a second place that does would take as long to compile again.
  for (var i = first; i <= last; i++) {
    let ends = i == last;
    let u = positionOf(min(i, last - 1u));
    let cell = baseOf(u).cell;
    if (!ends && !isDeposited(cell, u, imageOf(i))) { continue; }
    if (ends || any(cell != base)) {
      leaveCell(base);
      var left = u32(ORDER); // columns left behind
      let follows = !ends && all((cell.yz >> vec2u(1u)) == (base.yz >> vec2u(1u))) && cell.x >= base.x;
      if (follows) { left = min(cell.x - base.x, u32(ORDER)); }
      leaveColumns(base, left);
      base = cell;
    }
    if (!ends) { addToCell(massOf(i), offsetsInCell(u)); }
  }
}
