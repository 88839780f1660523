// The velocity that the update starts from, where the particle's new one goes: velocities are in order.
//#expects velocities

fn velocityOf(slot: u32) -> vec3f {
  let first = 3u * slot;
  return bitcast<vec3f>(vec3u(velocities[first], velocities[first + 1u], velocities[first + 2u]));
}
