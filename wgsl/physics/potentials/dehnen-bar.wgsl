// Bar as a quadrupole, in the frame of its long axis, with c = (x² − y²)/r² and q = (r/R_b)³: φ = A c (q − 2) inside R_b,
// −A c/q outside. f = −2A e/r² with
//   inside   e_x = cq/2 + q − 2(2y² + z²)/r²,  e_y = cq/2 − q + 2(2x² + z²)/r²,  e_z = c (q/2 + 2)
//   outside  e_x = (5c/2 − 1)/q,  e_y = (5c/2 + 1)/q,  e_z = 5c/2q
// src/physics/potentials/dehnen-bar.ts
//#import "jets.wgsl"
//#expects DehnenBar

fn dehnenBarField(p: DehnenBar, d: vec3f) -> vec4f {
  let r2 = dot(d, d);
  if (r2 == 0.0) { return vec4f(); }
  let ratio = sqrt(r2) / p.radius;
  let cube = ratio * ratio * ratio;
  let c = (d.x - d.y) * (d.x + d.y) / r2;
  if (ratio >= 1.0) {
    let e = vec3f(fma(2.5, c, -1.0), fma(2.5, c, 1.0), 2.5 * c) / cube;
    return vec4f(d * (-2.0 * p.amplitude / r2 * e), -p.amplitude * c / cube);
  }
  let half = 0.5 * c * cube;
  let rest = 2.0 * vec2f(fma(2.0 * d.y, d.y, d.z * d.z), fma(2.0 * d.x, d.x, d.z * d.z)) / r2;
  let e = vec3f(half + (cube - rest.x), half - (cube - rest.y), fma(2.0, c, half));
  return vec4f(d * (-2.0 * p.amplitude / r2 * e), p.amplitude * c * (cube - 2.0));
}

fn dehnenBarStrengths(p: DehnenBar, squares: mat3x3f) -> mat3x3f {
  let square = squares[0] + squares[1] + squares[2];
  if (square.x == 0.0) { return mat3x3f(); }
  let once = jetInverse(square);
  let ratio = jetRoot(square) / p.radius;
  let cube = jetProduct(ratio, jetProduct(ratio, ratio));
  let c = jetProduct(squares[0] - squares[1], once);
  let unit = (-2.0 * p.amplitude) * once;
  if (ratio.x >= 1.0) {
    let outer = jetProduct(unit, jetInverse(cube));
    let along = 2.5 * jetProduct(c, outer);
    return mat3x3f(along - outer, along + outer, along);
  }
  let half = 0.5 * jetProduct(c, cube);
  let ofX = half + (cube - 2.0 * jetProduct(2.0 * squares[1] + squares[2], once));
  let ofY = half - (cube - 2.0 * jetProduct(2.0 * squares[0] + squares[2], once));
  return mat3x3f(jetProduct(unit, ofX), jetProduct(unit, ofY), jetProduct(unit, half + 2.0 * c));
}
