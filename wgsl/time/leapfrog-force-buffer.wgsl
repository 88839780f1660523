// The acceleration in a cell, from the force mesh as the gradient leaves it.
//#expects CELLS, FORCE_GHOSTS, MeshValue, planeInSlab

@group(0) @binding(5) var<storage, read> forceXy: array<vec2f>; // [n³] ax, ay; of a slab with its ghosts
@group(0) @binding(11) var<storage, read> forceZ: array<f32>; // [n³]

fn meshValue(place: vec3u) -> MeshValue {
  let cell = (planeInSlab(place.z, u32(FORCE_GHOSTS)) * u32(CELLS) + place.y) * u32(CELLS) + place.x;
  return vec3f(forceXy[cell], forceZ[cell]);
}
