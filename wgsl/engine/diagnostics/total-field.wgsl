// Acceleration (xyz) and potential (w) at a particle, or any other point: of the mesh, or of the monopole of what is inside
// for one outside the mesh; and of the external potentials.
//#import "../../lib/cells.wgsl"
//#import "../../lib/interpolate.wgsl"
//#import "../../physics/potentials/field.wgsl"
//#expects ISOLATED, BY_SLOT (whether fields lie by slot: fieldBySlot)

struct TotalField {
  own: vec4f, // of the particles: mesh or monopole
  applied: vec4f, // of the external potentials
  outside: bool, // of an isolated mesh
}

// `slot`: of the particle, or number of the point, where fields lie by slot.
fn totalFieldAt(slot: u32, u: vec3u, image: u32) -> TotalField {
  let base = baseOf(u);
  let applied = externalField(u, image);
  if (ISOLATED && !insideMesh(base.cell, image)) {
    return TotalField(monopoleField(u, image), applied, true);
  }
//#if BY_SLOT
  return TotalField(fieldBySlot[slot], applied, false);
//#end
//#if !BY_SLOT
  return TotalField(interpolatedAt(base), applied, false);
//#end
}
