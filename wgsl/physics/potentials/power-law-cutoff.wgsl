// Power law with an exponential cut-off, ρ ∝ r^(−α) e^(−x), x = (r/r_c)², s = (3 − α)/2:
//   φ = −(GM/Γ(s)) (γ(s, x)/r + Γ(s − ½, x)/r_c),  f = −GM γ(s, x)/(Γ(s) r³)
// The incomplete gamma functions by series up to x = 2 and by the continued fraction beyond.
// src/physics/potentials/power-law-cutoff.ts
//#import "jets.wgsl"
//#import "../../lib/elementary.wgsl"
//#expects PowerLawCutoff

const SERIES_TO = 2.0;

// Σ_{n≥1} xⁿ/(a (a + 1) … (a + n)), x ≤ 2, a ≥ ½ to 1e-8.
fn lowerTail(a: f32, x: f32) -> f32 {
  var sum = 0.0;
  for (var n = 16.0; n >= 1.0; n -= 1.0) { sum = (1.0 + sum) * (x / (a + n)); }
  return sum / a;
}

// Γ(a, x)/(x^a e^−x) for x ≥ 2.
fn upperFraction(a: f32, x: f32) -> f32 {
  var below = 0.0;
  for (var n = 16.0; n >= 1.0; n -= 1.0) { below = n * (n - a) / (x + fma(2.0, n, 1.0) - a - below); }
  return 1.0 / (x + 1.0 - a - below);
}

// γ(s, x)/Γ(s), M(r) over M; `unit` is x^s/Γ(s).
fn cutoffMass(s: f32, x: f32, unit: f32) -> f32 {
  if (x <= SERIES_TO) { return unit * expOf(-x) * (1.0 / s + lowerTail(s, x)); }
  return 1.0 - unit * expOf(-x) * upperFraction(s, x);
}

// Γ(a, x) for a > −½.
fn cutoffUpper(a: f32, x: f32, besidePole: f32) -> f32 {
  let scale = powerOf(x, a);
  if (x > SERIES_TO) { return scale * expOf(-x) * upperFraction(a, x); }
  var sum = 0.0;
  for (var n = 14.0; n >= 1.0; n -= 1.0) { sum = (1.0 / (a + n) + sum) * (-x / n); }
  let logarithm = logOf(x);
  return besidePole - logarithm * growthOf(a * logarithm) - scale * sum;
}

fn powerLawCutoffField(p: PowerLawCutoff, d: vec3f) -> vec4f {
  let r = max(length(d), 1e-12 * p.cutoff);
  let ratio = r / p.cutoff;
  let x = ratio * ratio;
  let s = p.order;
  let inside = cutoffMass(s, x, powerOf(x, s) * p.inverseGamma);
  let beyond = p.inverseGamma * cutoffUpper(s - 0.5, x, p.besidePole) / p.cutoff;
  return vec4f(d * (-p.mass * (inside / r) / (r * r)), -p.mass * (inside / r + beyond));
}

fn powerLawCutoffStrength(p: PowerLawCutoff, r2: Jet) -> Jet {
  if (r2.x == 0.0) { return Jet(); }
  let ratio = sqrt(r2.x) / p.cutoff;
  let x = ratio * ratio;
  let s = p.order;
  let unit = p.mass / (r2.x * sqrt(r2.x));
  let power = powerOf(x, s) * p.inverseGamma;
  let density = 2.0 * unit * power * expOf(-x); // 4πGρ
  if (x <= 1.0) {
    let tail = lowerTail(s, x);
    let first = density * (p.alpha / (3.0 - p.alpha) + 1.5 * tail);
    let second = -density * (p.alpha * (p.alpha + 2.0) / (3.0 - p.alpha) + 7.5 * tail - 2.0 * x);
    return jetOfMass(r2, -0.5 * density * (1.0 / s + tail), first, second);
  }
  let f = -unit * cutoffMass(s, x, power);
  return jetOfMass(r2, f, -density - 3.0 * f, fma(density, 5.0 + p.alpha + 2.0 * x, 15.0 * f));
}
