// A particle's part in deposit-direct.wgsl for NGP: all its mass in the base cell.
//#expects addToMesh, addWithoutCarry

fn addParticle(cell: vec3u, mass: u32, u: vec3u, watch: bool) {
  if (watch) {
    addToMesh(cell, mass);
  } else {
    addWithoutCarry(cell, mass);
  }
}
