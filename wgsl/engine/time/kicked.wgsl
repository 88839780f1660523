// A particle's velocity after a kick: v + a·kick, with a from the mesh, or of the monopole for a particle that has escaped,
// and of the external potentials. With substeps what levels add and the external potentials have kicks of their own, and the
// rest a slow one. The same kick gives the same bits.
//#import "../../lib/cells.wgsl"
//#import "../../lib/interpolate.wgsl"
//#import "../../physics/potentials/field.wgsl"
//#expects ISOLATED, IN_USE, BY_SLOT (whether fields lie by slot: fieldBySlot), SUBSTEPS (whether levels take any: fastBySlot)
//#expects velocities ([N, 3] f32 as bits), step (with its kick, and the slow one)

alias MeshValue = vec3f;

fn velocityOf(slot: u32) -> vec3f {
  let first = 3u * slot;
  return bitcast<vec3f>(vec3u(velocities[first], velocities[first + 1u], velocities[first + 2u]));
}

// `ofMesh`: interpolated from the mesh at the particle, whose cell always exists.
fn kicked(ofMesh: vec3f, slot: u32, u: vec3u, image: u32) -> vec3f {
//#if BY_SLOT
  var acceleration = fieldBySlot[slot].xyz;
//#end
//#if !BY_SLOT
  var acceleration = ofMesh;
//#end
  // Escaped particles are few: theirs replaces an acceleration that is always interpolated.
  if (ISOLATED && !insideMesh(baseOf(u).cell, image)) {
    acceleration = monopoleField(u, image).xyz;
  }
//#if SUBSTEPS
  let slow = (acceleration - fastBySlot[slot].xyz) * step.slow;
  acceleration = fastBySlot[slot].xyz;
//#end
  if (IN_USE > 0u) {
    acceleration += externalField(u, image).xyz;
  }
//#if SUBSTEPS
  return fma(acceleration, vec3f(step.kick), velocityOf(slot) + slow);
//#end
//#if !SUBSTEPS
  return fma(acceleration, vec3f(step.kick), velocityOf(slot));
//#end
}
