// Dehnen sphere: φ = (GM/a) (q^{2−γ} − 1)/(2 − γ), f = −GM q^{3−γ}/r³, q = r/(r + a). src/potentials/dehnen.ts
// At the centre the force has no direction, and is taken as none.
//#import "rates.wgsl"
//#import "../lib/elementary.wgsl"
//#expects Dehnen

fn dehnenField(p: Dehnen, d: vec3f) -> vec4f {
  let r = max(length(d), 1e-30);
  let logarithm = -logOnePlus(min(p.scale / r, 1e30)); // ln q
  let q = r / (r + p.scale);
  let f = -p.mass * (powerOf(q, p.enclosed) / r) / (r * r + 1e-37);
  return vec4f(d * f, p.mass / p.scale * logarithm * growthOf((p.enclosed - 1.0) * logarithm));
}

fn dehnenRates(p: Dehnen, r2: f32, u: f32, w: f32) -> vec3f {
  if (r2 == 0.0) { return vec3f(); }
  let r = sqrt(r2);
  let q = r / (r + p.scale);
  let f = -p.mass * (powerOf(q, p.enclosed) / r) / r2;
  let outer = -p.enclosed;
  return ratesOfSlope(f, fma(outer, q, -p.gamma), outer * q * (p.scale / (r + p.scale)), r2, u, w);
}
