// A particle's part in deposit-direct.wgsl for NGP: all its mass in one cell.
//#expects addTo

fn addParticle(cell: vec3u, mass: u32, u: vec3u) { addTo(cell, mass); }
