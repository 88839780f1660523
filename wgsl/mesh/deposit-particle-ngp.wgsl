// A particle's part in deposit-direct.wgsl for NGP: all its mass in one cell.
//#expects addTo, addWithoutCarry

fn addParticle(cell: vec3u, mass: u32, u: vec3u, watch: bool) {
  if (watch) {
    addTo(cell, mass);
  } else {
    addWithoutCarry(cell, mass);
  }
}
