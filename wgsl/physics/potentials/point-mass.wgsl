// Point mass, softened: φ = −GM/√(r² + ε²), f = −GM/(r² + ε²)^{3/2}. src/physics/potentials/point-mass.ts
//#import "jets.wgsl"
//#expects PointMass

fn pointMassField(p: PointMass, d: vec3f) -> vec4f {
  let square = fma(p.softening, p.softening, dot(d, d));
  if (square == 0.0) { return vec4f(); }
  let inverse = 1.0 / sqrt(square);
  return vec4f(d * (-p.mass * inverse * inverse * inverse), -p.mass * inverse);
}

fn pointMassStrength(p: PointMass, r2: Jet) -> Jet {
  let square = jetShifted(r2, p.softening * p.softening);
  if (square.x == 0.0) { return Jet(); }
  let inverse = jetInverse(jetRoot(square));
  return -p.mass * jetProduct(inverse, jetProduct(inverse, inverse));
}
