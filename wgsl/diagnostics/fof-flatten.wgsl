// From the forest to groups: every particle's root, the size of each group and the smallest id in it, which is its label.
//#import "../lib/grid.wgsl"
//#import "fof-cells.wgsl"
//#import "fof-unions.wgsl"

@group(0) @binding(1) var<storage, read_write> heads: array<u32>; // [N] head of the cell, afterwards the root
@group(0) @binding(2) var<storage, read_write> parents: array<atomic<u32>>; // [N]
@group(0) @binding(3) var<storage, read> starts: array<u32>; // [N + 1]
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> velocities: array<u32>; // [N, 3] f32 as bits
@group(0) @binding(6) var<storage, read_write> sizes: array<atomic<u32>>; // [N] by root, zeroed
@group(0) @binding(7) var<storage, read_write> labels: array<atomic<u32>>; // [N] by root: complement of the smallest id, zeroed
@group(0) @binding(8) var<storage, read_write> fastest: atomic<u32>; // bits of the largest |velocity component|, zeroed

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn flatten(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flatIndex(workgroup, workgroups, local, GROUP);
  if (i >= search.count) { return; }
  let head = heads[i];
  let root = rootOf(head);
  heads[i] = root;
  if (head == i) { atomicAdd(&sizes[root], starts[i + 1u] - starts[i]); }
  // A look before each exchange: few particles of a large group change anything.
  let label = ~ids[i];
  if (atomicLoad(&labels[root]) < label) { atomicMax(&labels[root], label); }
  let speeds = vec3u(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]) & vec3u(0x7fffffffu);
  let speed = max(max(speeds.x, speeds.y), speeds.z);
  if (atomicLoad(&fastest) < speed) { atomicMax(&fastest, speed); }
}
