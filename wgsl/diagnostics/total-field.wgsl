// Acceleration (xyz) and potential (w) at a particle for the diagnostics, by source: the mesh, or the monopole of what
// is inside for a particle that has escaped; and the external potentials.
//#import "../lib/cells.wgsl"
//#import "../lib/interpolate.wgsl"
//#import "../potentials/field.wgsl"
//#expects ISOLATED

struct TotalField {
  own: vec4f, // of the particles: mesh or monopole
  applied: vec4f, // of the external potentials
}

fn totalFieldAt(window: ptr<function, Window>, u: vec3u, image: u32) -> TotalField {
  let base = baseOf(u);
  let applied = externalField(u, image);
  if (ISOLATED && !insideMesh(base.cell, image)) {
    return TotalField(monopoleField(u, image), applied);
  }
  moveWindow(window, base.cell);
  return TotalField(interpolated(window, base.offset), applied);
}
