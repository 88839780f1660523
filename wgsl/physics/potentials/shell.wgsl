// Spherical shell between two radii, whose mass within r is a cubic in t = (r − r₀)/(r₁ − r₀). src/physics/potentials/shell.ts
//#import "jets.wgsl"
//#import "../../lib/elementary.wgsl"
//#expects Shell

// Mass within r over the whole, and r and r² times its derivatives.
fn shellWithin(p: Shell, r: f32) -> vec3f {
  if (r >= p.outer) { return vec3f(1.0, 0.0, 0.0); }
  if (r <= p.inner) { return vec3f(); }
  let width = p.outer - p.inner;
  let t = (r - p.inner) / width;
  let ratio = r / width;
  let b = 3.0 - 2.0 * p.innerSlope - p.outerSlope;
  let c = p.innerSlope + p.outerSlope - 2.0;
  let within = t * fma(t, fma(t, c, b), p.innerSlope);
  return vec3f(within, ratio * fma(t, fma(3.0 * t, c, 2.0 * b), p.innerSlope), ratio * ratio * fma(6.0 * t, c, 2.0 * b));
}

// ∫ M′/u du from r to the outer radius, over the mass.
fn shellBeyond(p: Shell, r: f32) -> f32 {
  let width = p.outer - p.inner;
  let low = max(r, p.inner) / width;
  let high = p.outer / width;
  let start = p.inner / width;
  let b = 3.0 - 2.0 * p.innerSlope - p.outerSlope;
  let c = p.innerSlope + p.outerSlope - 2.0;
  let constant = fma(3.0 * c * start, start, fma(-2.0 * b, start, p.innerSlope));
  let rise = high - low;
  let rising = rise * fma(1.5 * c, high + low, fma(-6.0 * c, start, 2.0 * b));
  if (constant == 0.0) { return rising / width; }
  return fma(constant, logOnePlus(rise / low), rising) / width;
}

fn shellField(p: Shell, d: vec3f) -> vec4f {
  let r = length(d);
  if (r >= p.outer) { return p.mass / r * vec4f(-d / (r * r), -1.0); }
  let phi = -p.mass * shellBeyond(p, r);
  if (r <= p.inner) { return vec4f(vec3f(), phi); }
  let within = p.mass * shellWithin(p, r).x / r;
  return vec4f(d * (-within / (r * r)), phi - within);
}

fn shellStrength(p: Shell, r2: Jet) -> Jet {
  let r = sqrt(r2.x);
  if (r <= p.inner) { return Jet(); }
  let m = shellWithin(p, r);
  let scale = p.mass / (r * r2.x);
  return jetOfMass(r2, -scale * m.x, scale * fma(3.0, m.x, -m.y), scale * fma(7.0, m.y, fma(-15.0, m.x, -m.z)));
}
