// The sums of deposit-slots.wgsl for NGP: a cell has one, which goes straight to the mesh.
//#expects addTo

var<private> sum: u32;

fn addToCell(mass: u32, offsets: vec3u) {
  sum += mass;
}

fn leaveCell(cell: vec3u) {
  addTo(cell, sum);
  sum = 0u;
}

fn leaveColumns(cell: vec3u, count: u32) {}
