// Ordering's part for velocities that stay where they are: each slot learns from which one the update, which reads and
// writes them all anyway, is to fetch its own (leapfrog-fetched.wgsl).

@group(0) @binding(8) var<storage, read_write> origins: array<u32>; // [N] slots in the half left behind

fn moveVelocity(i: u32, slot: u32) {
  origins[slot] = i;
}
