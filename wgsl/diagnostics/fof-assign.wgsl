// Tells every particle its group's number and label, and every numbered group a member to measure separations from: the
// one whose id is the label.
//#import "../lib/grid.wgsl"
//#import "fof-cells.wgsl"
//#expects ISOLATED

@group(0) @binding(1) var<storage, read_write> groupOf: array<u32>; // [N] root, afterwards the group's number or NONE
@group(0) @binding(2) var<storage, read> numbers: array<u32>; // [N] by root
@group(0) @binding(3) var<storage, read> labels: array<u32>; // [N] by root: complement of the smallest id
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(6) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(7) var<storage, read_write> references: array<vec4u>; // by number: position, image
@group(0) @binding(8) var<storage, read_write> labelOf: array<u32>; // [N] by id

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn assign(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flatIndex(workgroup, workgroups, local, GROUP);
  if (i >= search.count) { return; }
  let root = groupOf[i];
  let at = numbers[root];
  let label = ~labels[root];
  groupOf[i] = at;
  labelOf[ids[i]] = label;
  if (at != NONE && ids[i] == label) {
    let image = select(0u, images[i], ISOLATED);
    references[at] = vec4u(positions[3u * i], positions[3u * i + 1u], positions[3u * i + 2u], image);
  }
}
