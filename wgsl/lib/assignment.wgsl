// Assignment weights on one axis for interpolation (Hockney & Eastwood 1988, ch. 5); the deposit's are in lib/mass.wgsl. No
// product is added but by fma, so that every kernel gets the same bits.
//#expects ORDER (1 NGP, 2 CIC, 3 TSC)

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
  return vec3f(0.5 * low * low, fma(-d, d, 0.75), 0.5 * high * high);
}
