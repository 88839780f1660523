// The acceleration in a cell, from texels of it (engine/mesh/force/force-texels.wgsl): CPU adapters read a texel at once, but a buffer
// word by word for each invocation.
//#expects FORCE_GHOSTS, MeshValue, planeInSlab
requires readonly_and_readwrite_storage_textures;

@group(0) @binding(11) var forceTexels: texture_storage_3d<rgba32float, read>; // [n, n, n] ax, ay, az; of a slab with its ghosts

fn meshValue(place: vec3u) -> MeshValue {
  return textureLoad(forceTexels, vec3u(place.xy, planeInSlab(place.z, u32(FORCE_GHOSTS)))).xyz;
}
