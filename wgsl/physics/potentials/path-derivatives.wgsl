// What an external potential does to a particle on its path, for the integrators of direct summation. Kernels of records
// may name this and the functions of jets anywhere.
//#import "jets.wgsl"

struct PathDerivatives {
  acceleration: vec3f,
  jerk: vec3f,
  snap: vec3f,
}

// From the strength of a spherical one, a jet.
fn sphericalForces(f: Jet, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  return PathDerivatives(f.x * x, f.x * v + f.y * x, f.x * a + 2.0 * f.y * v + f.z * x);
}

// r² along the path, and the squares of the coordinates, as jets.
fn squareOf(x: vec3f, v: vec3f, a: vec3f) -> Jet {
  return Jet(dot(x, x), 2.0 * dot(x, v), 2.0 * (dot(v, v) + dot(x, a)));
}

fn squaresOf(x: vec3f, v: vec3f, a: vec3f) -> mat3x3f {
  return transpose(mat3x3f(x * x, 2.0 * x * v, 2.0 * fma(x, a, v * v)));
}

// From the strengths on the axes, as jets.
fn symmetricForces(strengths: mat3x3f, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  let f = transpose(strengths);
  return PathDerivatives(f[0] * x, fma(f[0], v, f[1] * x), fma(f[0], a, fma(2.0 * f[1], v, f[2] * x)));
}
