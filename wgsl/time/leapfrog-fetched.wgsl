// The velocity that the update starts from, fetched from where the ordering left it (order-velocity-left.wgsl).

@group(0) @binding(10) var<storage, read> left: array<u32>; // [N, 3] velocities in their former order, as bits
@group(0) @binding(12) var<storage, read> origins: array<u32>; // [N] slots there

fn velocityOf(slot: u32) -> vec3f {
  let first = 3u * origins[slot];
  return bitcast<vec3f>(vec3u(left[first], left[first + 1u], left[first + 2u]));
}
