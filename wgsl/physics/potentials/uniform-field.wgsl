// Uniform field: φ = −g·x. src/physics/potentials/uniform-field.ts
//#import "path-derivatives.wgsl"
//#expects UniformField

fn uniformFieldField(p: UniformField, d: vec3f) -> vec4f {
  let g = vec3f(p.gx, p.gy, p.gz);
  return vec4f(g, -dot(g, d));
}

fn uniformFieldForces(p: UniformField, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  return PathDerivatives(vec3f(p.gx, p.gy, p.gz), vec3f(), vec3f());
}
