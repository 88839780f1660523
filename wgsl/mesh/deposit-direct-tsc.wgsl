// The sums of deposit-runs.wgsl for TSC in runs of one particle: they go straight to the mesh.
//#import "../lib/mass-tsc.wgsl"
//#import "deposit-add.wgsl"

var<private> planes: array<Columns, 3>; // dz = -1, 0, 1

fn addToCell(mass: u32, offsets: vec3u) {
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  for (var k = 0u; k < 3u; k++) { planes[k] = columnsOf(z[k], x, y); }
}

fn leaveCell(cell: vec3u) {
  let corner = cell + vec3u(SIDE - 1u); // one cell back on every axis; addTo wraps
  for (var k = 0u; k < 3u; k++) {
    for (var j = 0u; j < 3u; j++) {
      addTo(corner + vec3u(0u, j, k), planes[k].last[j]);
      addTo(corner + vec3u(1u, j, k), planes[k].here[j]);
      addTo(corner + vec3u(2u, j, k), planes[k].next[j]);
    }
  }
}

fn leaveColumns(cell: vec3u, count: u32) {}
