// Point mass, softened: φ = −GM/√(r² + ε²), f = −GM/(r² + ε²)^{3/2}. src/potentials/point-mass.ts
//#import "rates.wgsl"
//#expects PointMass

fn pointMassField(p: PointMass, d: vec3f) -> vec4f {
  let square = fma(p.softening, p.softening, dot(d, d));
  if (square == 0.0) { return vec4f(); }
  let inverse = 1.0 / sqrt(square);
  return vec4f(d * (-p.mass * inverse * inverse * inverse), -p.mass * inverse);
}

fn pointMassRates(p: PointMass, r2: f32, u: f32, w: f32) -> vec3f {
  let square = fma(p.softening, p.softening, r2);
  if (square == 0.0) { return vec3f(); }
  return ratesOfSlope(-p.mass / (square * sqrt(square)), -3.0, 0.0, square, u, w);
}
