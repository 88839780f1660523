// What an external potential does to a particle on its path, for the integrators of direct summation. Kernels of records
// may name it anywhere.

struct PathDerivatives {
  acceleration: vec3f,
  jerk: vec3f,
  snap: vec3f,
}
