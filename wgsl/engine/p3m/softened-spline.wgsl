// f and depth of a pair softened by a cubic spline of radius 2.8 ε, at r² in cells (src/engine/direct/softening.ts).
//#expects work (with the softening, ε in cells), SPLINE_RADIUS (over ε)

fn softened(square: f32) -> vec2f {
  let perRadius = 1.0 / (SPLINE_RADIUS * work.softening);
  let inverse = inverseSqrt(max(square, 1e-30));
  let u = square * inverse * perRadius;
  if (u < 0.5) {
    let u2 = u * u;
    let inside = fma(u2, fma(32.0, u, -38.4), 32.0 / 3.0);
    let depth = fma(-u2, fma(u2, fma(6.4, u, -9.6), 16.0 / 3.0), 2.8);
    return vec2f(inside * (perRadius * perRadius * perRadius), depth * perRadius);
  }
  let w = max(0.0, 1.0 - u);
  let w4 = w * w * w * w;
  let inside = fma(-w4, fma(w, fma(32.0 / 3.0, w, -25.6), 16.0), 1.0);
  return vec2f(inside * (inverse * inverse * inverse), fma(w4 * fma(-12.8, w, 16.0), perRadius, inside * inverse));
}
