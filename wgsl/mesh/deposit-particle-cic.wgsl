// A particle's part in deposit-direct.wgsl for CIC: two cells on each axis, from `corner` on.
//#import "../lib/mass-cic.wgsl"
//#expects addTo

fn addParticle(corner: vec3u, mass: u32, u: vec3u) {
  let columns = columnsOf(mass, offsetsInCell(u));
  for (var k = 0u; k < 4u; k++) {
    let row = corner + vec3u(0u, k & 1u, k >> 1u);
    addTo(row, columns.here[k]);
    addTo(row + vec3u(1u, 0u, 0u), columns.next[k]);
  }
}
