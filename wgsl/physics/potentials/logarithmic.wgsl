// Logarithmic potential, with D = r_c² + x² + y²/p² + z²/q²: φ = ½ v₀² ln D, f_x = −v₀²/D, f_y = f_x/p², f_z = f_x/q².
// src/physics/potentials/logarithmic.ts
//#import "jets.wgsl"
//#import "../../lib/elementary.wgsl"
//#expects Logarithmic

fn logarithmicField(p: Logarithmic, d: vec3f) -> vec4f {
  let weights = vec3f(1.0, 1.0 / (p.elongation * p.elongation), 1.0 / (p.flattening * p.flattening));
  let square = max(fma(p.core, p.core, dot(d * d, weights)), 0x1p-126);
  let square0 = p.speed * p.speed;
  return vec4f(d * weights * (-square0 / square), 0.5 * square0 * logOf(square));
}

fn logarithmicStrengths(p: Logarithmic, squares: mat3x3f) -> mat3x3f {
  let weights = vec3f(1.0, 1.0 / (p.elongation * p.elongation), 1.0 / (p.flattening * p.flattening));
  let square = jetShifted(squares * weights, p.core * p.core);
  if (square.x == 0.0) { return mat3x3f(); }
  let f = (-p.speed * p.speed) * jetInverse(square);
  return mat3x3f(f, weights.y * f, weights.z * f);
}
