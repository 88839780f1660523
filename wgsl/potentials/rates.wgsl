// Rates f, ḟ, f̈ of a spherical potential's strength; src/potentials/rates.ts has the equations.

// From λ = d ln f/d ln s and sλ′, with s ds = r dr.
fn ratesOfSlope(f: f32, slope: f32, slopeChange: f32, s2: f32, u: f32, w: f32) -> vec3f {
  let alpha = u / s2;
  let curvature = fma(slope, slope - 2.0, slopeChange);
  return f * vec3f(1.0, slope * alpha, fma(curvature * alpha, alpha, slope * w / s2));
}

// Of a mass distribution, from r f′ and r(r f′)′ − 2 r f′.
fn ratesOfMass(f: f32, first: f32, second: f32, r2: f32, u: f32, w: f32) -> vec3f {
  let alpha = u / r2;
  return vec3f(f, first * alpha, fma(second * alpha, alpha, first * w / r2));
}
