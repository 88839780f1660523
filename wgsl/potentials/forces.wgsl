// Acceleration, jerk and snap in the external potentials, for a particle at x from a centre that moves with v and is
// accelerated by a. In a spherical one, with f = −φ′/r,
//   A = f x,  J = f v + ḟ x,  S = f a + 2ḟ v + f̈ x
// `potentialForces` is written by src/potentials/kernel.ts for the kinds in use.
//#import "../direct/lib/hermite-state.wgsl"
//#import "path-derivatives.wgsl"
//#expects potentialForces

// From f, ḟ and f̈.
fn sphericalForces(rates: vec3f, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  return PathDerivatives(rates.x * x, rates.x * v + rates.y * x, rates.x * a + 2.0 * rates.y * v + rates.z * x);
}

// The squares of the coordinates along the path, as jets.
fn squaresOf(x: vec3f, v: vec3f, a: vec3f) -> mat3x3f {
  return transpose(mat3x3f(x * x, 2.0 * x * v, 2.0 * fma(x, a, v * v)));
}

// From the strengths on the axes, as jets.
fn symmetricForces(strengths: mat3x3f, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  let f = transpose(strengths);
  return PathDerivatives(f[0] * x, fma(f[0], v, f[1] * x), fma(f[0], a, fma(2.0 * f[1], v, f[2] * x)));
}

fn externalForces(position: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  var sum = PathDerivatives();
  for (var k = 0u; k < settings.potentials; k++) {
    let potential = settings.potential[k];
    let forces = potentialForces(potential.kind, potential.parameters, position - potential.centre, v, a);
    sum.acceleration += forces.acceleration;
    sum.jerk += forces.jerk;
    sum.snap += forces.snap;
  }
  return sum;
}
