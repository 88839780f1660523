// Acceleration and potential in a cell, of a mesh or a slab with its ghosts.
//#import "../../lib/section.wgsl"
//#expects CELLS, PITCH, meshPotential, forceIn, FIELD_GHOSTS, FORCE_GHOSTS (planes on either side of a slab)

alias MeshValue = vec4f;

const SIDE = u32(CELLS);

fn meshValue(place: vec3u) -> MeshValue {
  let cell = (planeInSlab(place.z, u32(FORCE_GHOSTS)) * SIDE + place.y) * SIDE + place.x;
  let row = planeInSlab(place.z, u32(FIELD_GHOSTS)) * SIDE + place.y;
  return vec4f(forceIn(cell), meshPotential[row * u32(PITCH) + place.x]);
}
