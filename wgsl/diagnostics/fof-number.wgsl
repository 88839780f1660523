// Numbers for the groups that are large enough, in any order.
//#import "../lib/grid.wgsl"
//#import "fof-cells.wgsl"

struct Tally {
  groups: atomic<u32>, // in all
  large: atomic<u32>, // of `minimum` members and more
  members: atomic<u32>, // of those
}

@group(0) @binding(1) var<storage, read> sizes: array<u32>; // [N] by root, else 0
@group(0) @binding(2) var<storage, read> labels: array<u32>; // [N] by root: complement of the smallest id
@group(0) @binding(3) var<storage, read_write> numbers: array<u32>; // [N] by root; NONE for a small group
@group(0) @binding(4) var<storage, read_write> groups: array<vec2u>; // by number: members, label
@group(0) @binding(5) var<storage, read_write> tally: Tally; // zeroed

const GROUP = 64u;
const RUN = 16u;

@compute @workgroup_size(GROUP)
fn number(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flatIndex(workgroup, workgroups, local, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var found = 0u;
  for (var i = first; i < last; i++) {
    let size = sizes[i];
    if (size == 0u) { continue; }
    found++;
    numbers[i] = NONE;
    if (size < search.minimum) { continue; }
    let at = atomicAdd(&tally.large, 1u);
    atomicAdd(&tally.members, size);
    numbers[i] = at;
    groups[at] = vec2u(size, ~labels[i]);
  }
  if (found > 0u) { atomicAdd(&tally.groups, found); }
}
