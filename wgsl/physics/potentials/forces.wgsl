// Acceleration, jerk and snap in the external potentials, for a particle at x from a centre that moves with v and is
// accelerated by a.
// `potentialForces` is written by src/physics/potentials/kernel.ts for the kinds in use; `placedForces` is that of forces-steady.wgsl
// or, where potentials turn, grow, decay or move, of forces-changing.wgsl.
//#import "../../engine/direct/lib/hermite-state.wgsl"
//#import "path-derivatives.wgsl"
//#expects placedForces

fn externalForces(position: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  var sum = PathDerivatives();
  for (var k = 0u; k < settings.potentials; k++) {
    let forces = placedForces(k, position, v, a);
    sum.acceleration += forces.acceleration;
    sum.jerk += forces.jerk;
    sum.snap += forces.snap;
  }
  return sum;
}
