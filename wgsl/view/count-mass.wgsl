// Counts of a picture of densities: words, or bytes of words where pixels hold few particles. The first particle that finds a
// byte full says so; what came before it is right.
//#import "found.wgsl"
//#expects PACKED

@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>; // [layers, blocks, 4], or [layers, blocks]
@group(0) @binding(7) var<storage, read_write> found: array<atomic<u32>>;

const FULL = 255u;
const MANY = 127u;

fn addParticle(at: u32, weight: u32, slot: u32) {
  if (!PACKED) {
    let before = atomicAdd(&counts[at], weight);
    if (before <= MANY && before + weight > MANY) { atomicStore(&found[CROWDED], YES); }
    return;
  }
  let place = 8u * (at & 3u);
  let before = (atomicAdd(&counts[at >> 2u], 1u << place) >> place) & FULL;
  if (before >= MANY) {
    if (before == MANY) { atomicStore(&found[CROWDED], YES); }
    if (before == FULL) { atomicStore(&found[OVERFLOWN], YES); }
  }
}
