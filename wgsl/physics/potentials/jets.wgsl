// Jets: a quantity on a particle's path with its first two derivatives in time. Sums and multiples are those of vectors.
// The same in float64: src/physics/potentials/jets.ts.

alias Jet = vec3f;

fn jetProduct(g: Jet, h: Jet) -> Jet {
  return Jet(g.x * h.x, fma(g.y, h.x, g.x * h.y), fma(g.z, h.x, fma(2.0 * g.y, h.y, g.x * h.z)));
}

// F(g) of a function with this value and these derivatives at g.
fn jetComposed(g: Jet, value: f32, slope: f32, curvature: f32) -> Jet {
  return Jet(value, slope * g.y, fma(curvature * g.y, g.y, slope * g.z));
}

fn jetShifted(g: Jet, c: f32) -> Jet {
  return Jet(g.x + c, g.y, g.z);
}

fn jetRoot(g: Jet) -> Jet {
  let value = sqrt(g.x);
  let slope = 0.5 / value;
  return jetComposed(g, value, slope, -0.5 * slope / g.x);
}

fn jetInverse(g: Jet) -> Jet {
  let value = 1.0 / g.x;
  let square = value * value;
  return jetComposed(g, value, -square, 2.0 * square * value);
}

// The strength f of a mass distribution at r², from r f′ and r(r f′)′ − 2 r f′ (src/physics/potentials/jets.ts).
fn jetOfMass(r2: Jet, f: f32, first: f32, second: f32) -> Jet {
  let alpha = 0.5 * r2.yz / r2.x;
  return Jet(f, first * alpha.x, fma(second * alpha.x, alpha.x, first * alpha.y));
}
