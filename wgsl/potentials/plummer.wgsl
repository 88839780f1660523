// Plummer sphere (Plummer 1911): φ = −GM/√(r² + a²), f = −GM/(r² + a²)^{3/2}. src/potentials/plummer.ts
//#expects Plummer

fn plummerField(p: Plummer, d: vec3f) -> vec4f {
  let square = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, p.scale * p.scale))); // the same bits in every kernel
  let inverse = 1.0 / sqrt(square);
  return vec4f(d * (-p.mass * inverse * inverse * inverse), -p.mass * inverse);
}

fn plummerRates(p: Plummer, r2: f32, u: f32, w: f32) -> vec3f {
  let inverse = inverseSqrt(fma(p.scale, p.scale, r2));
  let inverse2 = inverse * inverse;
  let f = -(p.mass * inverse) * inverse2;
  let alpha = u * inverse2;
  return f * vec3f(1.0, -3.0 * alpha, fma(15.0 * alpha, alpha, -3.0 * w * inverse2));
}
