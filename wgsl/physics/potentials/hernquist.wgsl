// Hernquist sphere (Hernquist 1990, eqs 5 and 3): φ = −GM/(r + a), f = −GM/(r (r + a)²). src/physics/potentials/hernquist.ts
// At the centre the force has a size but no direction, and is taken as none.
//#import "jets.wgsl"
//#expects Hernquist

fn hernquistField(p: Hernquist, d: vec3f) -> vec4f {
  let r = length(d);
  let inverse = 1.0 / (r + p.scale);
  // d is 0 at the centre.
  return vec4f(d * (-p.mass * inverse * inverse / max(r, 1e-30)), -p.mass * inverse);
}

fn hernquistStrength(p: Hernquist, r2: Jet) -> Jet {
  if (r2.x == 0.0) { return Jet(); }
  let r = jetRoot(r2);
  let outer = jetShifted(r, p.scale);
  return -p.mass * jetInverse(jetProduct(r, jetProduct(outer, outer)));
}
