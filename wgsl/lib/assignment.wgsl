// Assignment weights on one axis (Hockney & Eastwood 1988, ch. 5), the same for deposit and interpolation, and
// their integer form for the mesh. Needs ORDER (1 NGP, 2 CIC, 3 TSC) and the `offset` of lib/cells.wgsl.

// Weights of the base cell and the next (CIC): x, y. Of the previous, the base and the next cell (TSC): x, y, z.
fn axisWeights(offset: f32) -> vec3f {
  if (ORDER == 1) {
    return vec3f(1.0, 0.0, 0.0);
  }
  if (ORDER == 2) {
    return vec3f(1.0 - offset, offset, 0.0);
  }
  let d = offset - 0.5; // from the cell's centre
  let low = 0.5 - d;
  let high = 0.5 + d;
  return vec3f(0.5 * low * low, 0.75 - d * d, 0.5 * high * high);
}

// Rounds 0 <= w < 2^23 to the nearest integer: adding 2^23 leaves it in the low bits of the mantissa.
fn rounded(w: f32) -> u32 {
  return bitcast<u32>(w + 8388608.0) - 0x4B000000u;
}
