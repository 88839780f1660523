// Ordering's part for velocities that go with the rest of the particle.

@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [N, 3], moved as bits
@group(0) @binding(6) var<storage, read_write> newVelocities: array<u32>;

fn moveVelocity(i: u32, slot: u32) {
  newVelocities[3u * slot] = velocities[3u * i];
  newVelocities[3u * slot + 1u] = velocities[3u * i + 1u];
  newVelocities[3u * slot + 2u] = velocities[3u * i + 2u];
}
