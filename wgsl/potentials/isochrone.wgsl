// Isochrone sphere, with s = √(r² + b²): φ = −GM/(b + s), f = −GM/(s (b + s)²). src/potentials/isochrone.ts
//#import "rates.wgsl"
//#expects Isochrone

fn isochroneField(p: Isochrone, d: vec3f) -> vec4f {
  let s = sqrt(fma(p.scale, p.scale, dot(d, d)));
  let inverse = 1.0 / (p.scale + s);
  return vec4f(d * (-p.mass * inverse * inverse / s), -p.mass * inverse);
}

fn isochroneRates(p: Isochrone, r2: f32, u: f32, w: f32) -> vec3f {
  let s2 = fma(p.scale, p.scale, r2);
  let s = sqrt(s2);
  let outer = p.scale + s;
  let q = s / outer;
  return ratesOfSlope(-p.mass / (s * outer * outer), fma(-2.0, q, -1.0), -2.0 * q * (p.scale / outer), s2, u, w);
}
