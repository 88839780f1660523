// Forces of a potential that is the same at all times.
//#import "path-derivatives.wgsl"
//#expects settings, potentialForces

fn placedForces(k: u32, position: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  let potential = settings.potential[k];
  return potentialForces(potential.kind, potential.parameters, position - potential.centre, v, a);
}
