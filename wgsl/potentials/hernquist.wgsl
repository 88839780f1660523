// Hernquist sphere (Hernquist 1990, eqs 5 and 3): φ = −GM/(r + a), f = −GM/(r (r + a)²). src/potentials/hernquist.ts
// At the centre the force has a size but no direction, and is taken as none.
//#expects Hernquist

fn hernquistField(p: Hernquist, d: vec3f) -> vec4f {
  let r = length(d);
  let inverse = 1.0 / (r + p.scale);
  // d is 0 at the centre.
  return vec4f(d * (-p.mass * inverse * inverse / max(r, 1e-30)), -p.mass * inverse);
}

fn hernquistRates(p: Hernquist, r2: f32, u: f32, w: f32) -> vec3f {
  if (r2 == 0.0) { return vec3f(0.0); }
  let r = sqrt(r2);
  let b = p.scale;
  let outer = r + b;
  let f = -p.mass / (r * outer * outer);
  // d ln f/dr and d² f/dr² / f
  let slope = -(3.0 * r + b) / (r * outer);
  let curvature = (12.0 * r2 + 8.0 * b * r + 2.0 * b * b) / (r2 * outer * outer);
  let speed = u / r;
  return f * vec3f(1.0, slope * speed, fma(curvature * speed, speed, slope * (w - speed * speed) / r));
}
