// A particle's part in deposit-direct.wgsl and deposit-tiles.wgsl for CIC: two cells on each axis, from `corner` on.
//#import "../lib/mass-cic.wgsl"
//#expects addTo, addWithoutCarry

fn addParticle(corner: vec3u, mass: u32, u: vec3u, watch: bool) {
  let columns = columnsOf(mass, offsetsInCell(u));
  for (var k = 0u; k < 4u; k++) {
    let row = corner + vec3u(0u, k & 1u, k >> 1u);
    let nextRow = row + vec3u(1u, 0u, 0u);
    if (watch) {
      addTo(row, columns.here[k]);
      addTo(nextRow, columns.next[k]);
    } else {
      addWithoutCarry(row, columns.here[k]);
      addWithoutCarry(nextRow, columns.next[k]);
    }
  }
}
