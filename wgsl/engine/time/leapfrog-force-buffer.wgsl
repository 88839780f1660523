// The acceleration in a cell, from the force mesh as the gradient leaves it.
//#expects CELLS, FORCE_GHOSTS, MeshValue, planeInSlab, forceIn

fn meshValue(place: vec3u) -> MeshValue {
  let cell = (planeInSlab(place.z, u32(FORCE_GHOSTS)) * u32(CELLS) + place.y) * u32(CELLS) + place.x;
  return forceIn(cell);
}
