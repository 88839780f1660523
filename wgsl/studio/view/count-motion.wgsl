// Counts of a picture of motion, and Σ w (v + 2^16) and Σ w v² of the velocity along the line of sight, 64 bits each, in units of
// the fastest velocity's power of two.
//#import "../../lib/wide-product.wgsl"
//#expects picture, MOMENTS, SPEED_BIAS

@group(0) @binding(2) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>; // [layers, blocks, 4]
@group(0) @binding(7) var<storage, read_write> first: array<atomic<u32>>; // [layers, blocks, 4, 2]
@group(0) @binding(8) var<storage, read_write> second: array<atomic<u32>>; // the same
@group(0) @binding(9) var<uniform> speed: vec4f; // x: units of a velocity

// Along the line of sight, below 2^16.
fn speedOf(slot: u32) -> i32 {
  let v = vec3f(velocities[3u * slot], velocities[3u * slot + 1u], velocities[3u * slot + 2u]);
  return dot(picture.projection.away, vec3i(floor(v * speed.x + 0.5))) >> 14u;
}

fn addFirst(at: u32, term: vec2u) {
  let carry = select(0u, 1u, atomicAdd(&first[at], term.y) > ~term.y);
  let high = term.x + carry;
  if (high != 0u) { atomicAdd(&first[at + 1u], high); }
}

fn addSecond(at: u32, term: vec2u) {
  let carry = select(0u, 1u, atomicAdd(&second[at], term.y) > ~term.y);
  let high = term.x + carry;
  if (high != 0u) { atomicAdd(&second[at + 1u], high); }
}

fn addParticle(at: u32, weight: u32, slot: u32) {
  atomicAdd(&counts[at], weight);
  let v = speedOf(slot);
  addFirst(2u * at, wideProduct(u32(v + SPEED_BIAS), weight));
  if (MOMENTS >= 2) { addSecond(2u * at, wideProduct(u32(v * v), weight)); }
}
