// Philox4x32-10, counter-based random numbers (Salmon, Moraes, Dror & Shaw 2011, sect. 4.3): ten rounds of
//   (c0, c1, c2, c3) ← (hi(M1·c2) ⊕ c1 ⊕ k0, lo(M1·c2), hi(M0·c0) ⊕ c3 ⊕ k1, lo(M0·c0)),  k ← k + W.
// The same integers as src/physics/initial/philox.ts.
//#import "wide-product.wgsl"

const PHILOX_MULTIPLIER_0 = 0xd2511f53u;
const PHILOX_MULTIPLIER_1 = 0xcd9e8d57u;
const PHILOX_WEYL = vec2u(0x9e3779b9u, 0xbb67ae85u);
const PHILOX_ROUNDS = 10u;

fn philox4x32(counter: vec4u, seed: vec2u) -> vec4u {
  var c = counter;
  var key = seed;
  for (var round = 0u; round < PHILOX_ROUNDS; round++) {
    let high0 = highProduct(c.x, PHILOX_MULTIPLIER_0);
    let high1 = highProduct(c.z, PHILOX_MULTIPLIER_1);
    c = vec4u(high1 ^ c.y ^ key.x, c.z * PHILOX_MULTIPLIER_1, high0 ^ c.w ^ key.y, c.x * PHILOX_MULTIPLIER_0);
    key += PHILOX_WEYL;
  }
  return c;
}
