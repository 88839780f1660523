// A particle's part in deposit-direct.wgsl and deposit-tiles.wgsl for TSC: three cells on each axis, from `corner` on.
//#import "../lib/mass-tsc.wgsl"
//#expects addTo, addWithoutCarry

fn addColumn(corner: vec3u, masses: vec3u, watch: bool) {
  for (var dy = 0u; dy < 3u; dy++) {
    let cell = corner + vec3u(0u, dy, 0u);
    if (watch) {
      addTo(cell, masses[dy]);
    } else {
      addWithoutCarry(cell, masses[dy]);
    }
  }
}

fn addParticle(corner: vec3u, mass: u32, u: vec3u, watch: bool) {
  let offsets = offsetsInCell(u);
  let x = outerWeights(offsets.x);
  let y = outerWeights(offsets.y);
  let z = splitInThree(mass, outerWeights(offsets.z));
  for (var dz = 0u; dz < 3u; dz++) {
    let columns = columnsOf(z[dz], x, y);
    addColumn(corner + vec3u(0u, 0u, dz), columns.last, watch);
    addColumn(corner + vec3u(1u, 0u, dz), columns.here, watch);
    addColumn(corner + vec3u(2u, 0u, dz), columns.next, watch);
  }
}
