// A particle's part in deposit-direct.wgsl for TSC: three cells on each axis, from `corner` on.
//#import "../lib/mass-tsc.wgsl"
//#expects addTo

fn addColumn(corner: vec3u, masses: vec3u) {
  for (var dy = 0u; dy < 3u; dy++) { addTo(corner + vec3u(0u, dy, 0u), masses[dy]); }
}

fn addParticle(corner: vec3u, mass: u32, u: vec3u) {
  let offsets = offsetsInCell(u);
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  for (var dz = 0u; dz < 3u; dz++) {
    let columns = columnsOf(z[dz], x, y);
    addColumn(corner + vec3u(0u, 0u, dz), columns.last);
    addColumn(corner + vec3u(1u, 0u, dz), columns.here);
    addColumn(corner + vec3u(2u, 0u, dz), columns.next);
  }
}
