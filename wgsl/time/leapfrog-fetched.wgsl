// The velocity that the update starts from, fetched from where the ordering left it (order-scatter.wgsl with LEAVE):
// the first word of the particle's velocity says which slot of the other half that is.
//#expects velocities

@group(0) @binding(10) var<storage, read> left: array<u32>; // [N, 3] velocities in their former order, as bits

fn velocityOf(slot: u32) -> vec3f {
  let first = 3u * velocities[3u * slot];
  return bitcast<vec3f>(vec3u(left[first], left[first + 1u], left[first + 2u]));
}
