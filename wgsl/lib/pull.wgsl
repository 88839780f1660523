// Acceleration and potential at a particle for the diagnostics, by source: the mesh, or the monopole of what is inside
// for a particle that has escaped; and the external fields.
//#import "cells.wgsl"
//#import "interpolate.wgsl"
//#import "../potentials/external.wgsl"
//#expects ISOLATED

struct Pull {
  own: vec4f, // of the particles: mesh or monopole
  rigid: vec4f, // of the external fields
  escaped: bool,
}

fn pullAt(window: ptr<function, Window>, u: vec3u, image: u32) -> Pull {
  let base = baseOf(u);
  let rigid = externalPull(u, image);
  if (ISOLATED && !insideMesh(base.cell, image)) {
    return Pull(monopolePull(u, image), rigid, true);
  }
  moveWindow(window, base.cell);
  return Pull(interpolated(window, base.offset), rigid, false);
}
