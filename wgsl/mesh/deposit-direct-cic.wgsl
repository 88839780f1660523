// A particle's part in deposit-direct.wgsl for CIC: the base cell and the next one on each axis.
//#import "../lib/mass-cic.wgsl"
//#expects addToMesh, addWithoutCarry

fn addParticle(cell: vec3u, mass: u32, u: vec3u, watch: bool) {
  let columns = columnsOf(mass, offsetsInCell(u));
  for (var k = 0u; k < 4u; k++) {
    let row = cell + vec3u(0u, k & 1u, k >> 1u);
    let nextRow = row + vec3u(1u, 0u, 0u);
    if (watch) {
      addToMesh(row, columns.here[k]);
      addToMesh(nextRow, columns.next[k]);
    } else {
      addWithoutCarry(row, columns.here[k]);
      addWithoutCarry(nextRow, columns.next[k]);
    }
  }
}
