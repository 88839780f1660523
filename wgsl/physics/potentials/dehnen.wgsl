// Dehnen sphere: φ = (GM/a) (q^{2−γ} − 1)/(2 − γ), f = −GM q^{3−γ}/r³, q = r/(r + a). src/physics/potentials/dehnen.ts
// At the centre the force has no direction, and is taken as none.
//#import "jets.wgsl"
//#import "../../lib/elementary.wgsl"
//#expects Dehnen

fn dehnenField(p: Dehnen, d: vec3f) -> vec4f {
  let r = max(length(d), 1e-30);
  let logarithm = -logOnePlus(min(p.scale / r, 1e30)); // ln q
  let q = r / (r + p.scale);
  let f = -p.mass * (powerOf(q, p.enclosed) / r) / (r * r + 1e-37);
  return vec4f(d * f, p.mass / p.scale * logarithm * growthOf((p.enclosed - 1.0) * logarithm));
}

fn dehnenStrength(p: Dehnen, r2: Jet) -> Jet {
  if (r2.x == 0.0) { return Jet(); }
  let r = jetRoot(r2);
  let q = jetProduct(r, jetInverse(jetShifted(r, p.scale)));
  let inside = powerOf(q.x, p.enclosed);
  let slope = p.enclosed * inside / q.x;
  let share = jetComposed(q, inside, slope, (p.enclosed - 1.0) * slope / q.x);
  return -p.mass * jetProduct(jetProduct(share, jetInverse(r)), jetInverse(r2));
}
