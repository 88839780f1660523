// NFW halo: φ = −(GM/r) ln(1 + r/a), f = −GM (ln(1 + r/a) − q)/r³, q = r/(r + a). src/physics/potentials/nfw.ts
//#import "jets.wgsl"
//#import "../../lib/elementary.wgsl"
//#expects Nfw

// M(r) over M q²: (ln(1 + x) − q)/q², of which the series of −ln(1 − q) − q keeps the digits.
fn nfwMassFactor(q: f32, x: f32) -> f32 {
  if (q >= 0.5) { return (logOnePlus(x) - q) / (q * q); }
  var sum = 0.0;
  for (var n = 24.0; n >= 2.0; n -= 1.0) { sum = fma(sum, q, 1.0 / n); }
  return sum;
}

fn nfwField(p: Nfw, d: vec3f) -> vec4f {
  let r = length(d);
  if (r == 0.0) { return vec4f(0.0, 0.0, 0.0, -p.mass / p.scale); }
  let outer = r + p.scale;
  let f = -p.mass * nfwMassFactor(r / outer, r / p.scale) / (r * outer * outer);
  return vec4f(d * f, -p.mass * logOnePlus(r / p.scale) / r);
}

fn nfwStrength(p: Nfw, r2: Jet) -> Jet {
  if (r2.x == 0.0) { return Jet(); }
  let r = sqrt(r2.x);
  let outer = r + p.scale;
  let q = r / outer;
  let density = p.mass / (r * outer * outer); // 4πGρ
  let factor = nfwMassFactor(q, r / p.scale);
  let second = density * fma(-15.0, factor, fma(2.0, q, 6.0));
  return jetOfMass(r2, -density * factor, density * fma(3.0, factor, -1.0), second);
}
