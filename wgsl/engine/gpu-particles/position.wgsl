// Position of the particle in a slot, fixed point: x = L·u/2^32.
//#expects positions ([N, 3])

fn positionOf(slot: u32) -> vec3u {
  return vec3u(positions[3u * slot], positions[3u * slot + 1u], positions[3u * slot + 2u]);
}
