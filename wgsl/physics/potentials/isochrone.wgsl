// Isochrone sphere, with s = √(r² + b²): φ = −GM/(b + s), f = −GM/(s (b + s)²). src/physics/potentials/isochrone.ts
//#import "jets.wgsl"
//#expects Isochrone

fn isochroneField(p: Isochrone, d: vec3f) -> vec4f {
  let s = sqrt(fma(p.scale, p.scale, dot(d, d)));
  let inverse = 1.0 / (p.scale + s);
  return vec4f(d * (-p.mass * inverse * inverse / s), -p.mass * inverse);
}

fn isochroneStrength(p: Isochrone, r2: Jet) -> Jet {
  let s = jetRoot(jetShifted(r2, p.scale * p.scale));
  let outer = jetShifted(s, p.scale);
  return -p.mass * jetInverse(jetProduct(s, jetProduct(outer, outer)));
}
