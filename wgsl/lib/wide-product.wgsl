// Products of 32-bit integers in 64 bits: WGSL has none that wide.

// High and low word of a·b, for b < 2^16.
fn wideProduct(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * b;
  let high = (a >> 16u) * b + (low >> 16u);
  return vec2u(high >> 16u, (high << 16u) | (low & 0xffffu));
}

// High word of a·b.
fn highProduct(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}
