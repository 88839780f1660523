// Plummer sphere (Plummer 1911): φ = −GM/√(r² + a²), f = −GM/(r² + a²)^{3/2}. src/physics/potentials/plummer.ts
//#import "jets.wgsl"
//#expects Plummer

fn plummerField(p: Plummer, d: vec3f) -> vec4f {
  let square = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, p.scale * p.scale))); // the same bits in every kernel
  let inverse = 1.0 / sqrt(square);
  return vec4f(d * (-p.mass * inverse * inverse * inverse), -p.mass * inverse);
}

fn plummerStrength(p: Plummer, r2: Jet) -> Jet {
  let inverse = jetInverse(jetRoot(jetShifted(r2, p.scale * p.scale)));
  return -p.mass * jetProduct(inverse, jetProduct(inverse, inverse));
}
