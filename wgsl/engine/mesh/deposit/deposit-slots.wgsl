// Running sums over consecutive particles in order: those of a cell; with TSC also what the cells at one x of a pencil (2 x 2
// rows) add to the rows around them, of which a column is added when it is complete. At most 1023 particles of 2^22 units.
//#import "../../../lib/cells.wgsl"
//#import "../../../lib/mass.wgsl"
//#import "../../gpu-particles/image.wgsl"
//#import "../../gpu-particles/mass.wgsl"
//#import "../../gpu-particles/position.wgsl"
//#expects ORDER, isDeposited (of base cell, position and image), addToCell, leaveCell, leaveColumns

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(5) var<storage, read> images: array<u32>; // [N], isolated

fn depositSlots(first: u32, last: u32) {
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
