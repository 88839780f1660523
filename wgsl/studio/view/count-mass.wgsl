// Counts of a picture of densities.

@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>; // [layers, blocks, 4]

fn addParticle(at: u32, weight: u32, slot: u32) { atomicAdd(&counts[at], weight); }
