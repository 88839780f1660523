// Terms of sums that don't depend on their order: integers of 64 bits, two's complement, low word first.
//#import "wide-product.wgsl"

fn plus(sum: vec2u, term: vec2u) -> vec2u {
  let low = sum.x + term.x;
  return vec2u(low, sum.y + term.y + select(0u, 1u, low < term.x));
}

// The power of two that takes every |q| <= bound below 2^30. Exponent fields stay those of normal numbers.
fn scaleFor(bound: f32) -> f32 {
  return bitcast<f32>((283u - clamp(bitcast<u32>(bound) >> 23u, 30u, 254u)) << 23u);
}

// q to an integer at its scale, times the mass as a share of the heaviest.
fn scaledTerm(q: f32, scale: f32, share: f32) -> vec2u {
  return signedTerm(i32(round(q * scale * share)));
}

fn signedTerm(value: i32) -> vec2u {
  return vec2u(bitcast<u32>(value), bitcast<u32>(value >> 31u));
}

// a·b in 64 bits.
fn product(a: u32, b: u32) -> vec2u {
  let low = wideProduct(a, b & 0xffffu);
  let high = wideProduct(a, b >> 16u);
  return plus(vec2u(low.y, low.x), vec2u(high.y << 16u, (high.x << 16u) | (high.y >> 16u)));
}
