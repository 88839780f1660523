// The sums of deposit-slots.wgsl for TSC in runs of one particle: they go straight to the mesh.
//#import "../../../lib/mass-tsc.wgsl"
//#expects addTo, SIDE

var<private> below: Columns; // dz = -1
var<private> level: Columns; // dz = 0
var<private> above: Columns; // dz = 1

fn addToCell(mass: u32, offsets: vec3u) {
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  below = columnsOf(z.x, x, y);
  level = columnsOf(z.y, x, y);
  above = columnsOf(z.z, x, y);
}

// One of three, by k.
fn oneOf(a: vec3u, b: vec3u, c: vec3u, k: u32) -> vec3u {
  return select(select(a, b, k == 1u), c, k == 2u);
}

// Drivers don't unroll the loop over planes, whose bounds aren't constants.
fn leaveCell(cell: vec3u) {
  let corner = cell + vec3u(SIDE - 1u); // one cell back on every axis; addTo wraps
  for (var z = corner.z; z < corner.z + 3u; z++) {
    let k = z - corner.z;
    let last = oneOf(below.last, level.last, above.last, k);
    let here = oneOf(below.here, level.here, above.here, k);
    let next = oneOf(below.next, level.next, above.next, k);
    for (var j = 0u; j < 3u; j++) {
      let row = vec3u(corner.x, corner.y + j, z);
      addTo(row, last[j]);
      addTo(row + vec3u(1u, 0u, 0u), here[j]);
      addTo(row + vec3u(2u, 0u, 0u), next[j]);
    }
  }
}

fn leaveColumns(cell: vec3u, count: u32) {}
