// The sums of deposit-runs.wgsl for CIC: those of a cell, at the base cell and the next x, go straight to the mesh, which
// takes no longer than collecting what a pencil's cells have in common.
//#import "../lib/mass-cic.wgsl"
//#import "deposit-add.wgsl"

var<private> here: vec4u; // (dy, dz) = 00, 10, 01, 11
var<private> next: vec4u;

fn addToCell(mass: u32, offsets: vec3u) {
  let columns = columnsOf(mass, offsets);
  here += columns.here;
  next += columns.next;
}

fn leaveCell(cell: vec3u) {
  for (var k = 0u; k < 4u; k++) {
    let row = cell + vec3u(0u, k & 1u, k >> 1u);
    addTo(row, here[k]);
    addTo(row + vec3u(1u, 0u, 0u), next[k]);
  }
  here = vec4u(0u);
  next = vec4u(0u);
}

fn leaveColumns(cell: vec3u, count: u32) {}
