// The sums of deposit-slots.wgsl for CIC: those of a cell, at the base cell and the next x, go straight to the mesh, which
// takes no longer than collecting what a pencil's cells have in common.
//#import "../../../lib/mass-cic.wgsl"
//#expects addTo

var<private> here: vec4u; // (dy, dz) = 00, 10, 01, 11
var<private> next: vec4u;

fn addToCell(mass: u32, offsets: vec3u) {
  let columns = columnsOf(mass, offsets);
  here += columns.here;
  next += columns.next;
}

// Drivers don't unroll the loop over planes, whose bounds aren't constants.
fn leaveCell(cell: vec3u) {
  for (var z = cell.z; z < cell.z + 2u; z++) {
    let isUpper = z > cell.z;
    let ofHere = select(here.xy, here.zw, isUpper);
    let ofNext = select(next.xy, next.zw, isUpper);
    for (var j = 0u; j < 2u; j++) {
      let row = vec3u(cell.x, cell.y + j, z);
      addTo(row, ofHere[j]);
      addTo(row + vec3u(1u, 0u, 0u), ofNext[j]);
    }
  }
  here = vec4u(0u);
  next = vec4u(0u);
}

fn leaveColumns(cell: vec3u, count: u32) {}
