// What an external potential does to a particle on its path, for the integrators of direct summation. Kernels of records
// may name it anywhere.

struct PathDerivatives {
  acceleration: vec3f,
  jerk: vec3f,
  snap: vec3f,
}

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
