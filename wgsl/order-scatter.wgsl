// Moves every particle to its slot in cell order: slot = cellStart[key] + rank, in the other half of the buffers.
// The last part of the counting sort, after order-count.wgsl (or the update, which counts as it moves) and scan.wgsl.
// Keys are recomputed from positions, cheaper than storing them.
// Needs lib/grid.wgsl, lib/cells.wgsl, one of order-periodic.wgsl and order-isolated.wgsl, and order-key.wgsl.

@group(0) @binding(1) var<storage, read> rank: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [N, 3], moved as bits
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(6) var<storage, read_write> newVelocities: array<u32>;
@group(0) @binding(7) var<storage, read_write> newIds: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn scatter(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flatIndex(workgroup, workgroups, local, GROUP);
  if (i >= arrayLength(&ids)) { return; }
  let slot = cellStart[keyOf(i)] + rank[i];
  for (var axis = 0u; axis < 3u; axis++) {
    newPositions[3u * slot + axis] = positions[3u * i + axis];
    newVelocities[3u * slot + axis] = velocities[3u * i + axis];
  }
  newIds[slot] = ids[i];
  moveImage(i, slot);
}
