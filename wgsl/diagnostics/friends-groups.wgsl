// Friends of friends, third part:
//   flatten   from the forest to groups: every particle's root, each group's size and its smallest id, which is its label
//   number    numbers for the groups that are large enough
//   assign    tells every particle its group's number and label
//#import "../lib/grid.wgsl"
//#import "friends-forest.wgsl"
//#import "friends-search.wgsl"

struct Tally {
  groups: atomic<u32>, // in all
  large: atomic<u32>, // of `minimum` members and more
  members: atomic<u32>, // of those
}

// Zeroed at the start: sizes, labels, fastest, tally.
@group(0) @binding(1) var<storage, read> velocityBits: array<u32>; // flatten: [N, 3] f32 as bits
@group(0) @binding(1) var<storage, read> groupSizes: array<u32>; // number: [N] `sizes`
// [N] head of the particle's cell, from `flatten` on its root, from `assign` on its group's number or NONE
@group(0) @binding(2) var<storage, read_write> heads: array<u32>;
@group(0) @binding(2) var<storage, read_write> groups: array<vec2u>; // number: by number: members, label
@group(0) @binding(3) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(3) var<storage, read_write> tally: Tally; // number
@group(0) @binding(4) var<storage, read> starts: array<u32>; // flatten: [N + 1] by head
@group(0) @binding(4) var<storage, read> groupLabels: array<u32>; // number, assign: [N] `labels`
@group(0) @binding(5) var<storage, read_write> sizes: array<atomic<u32>>; // flatten: [N] by root, 0 elsewhere
@group(0) @binding(5) var<storage, read_write> numbers: array<u32>; // number, assign: [N] by root; NONE for a small group
@group(0) @binding(6) var<storage, read_write> labels: array<atomic<u32>>; // flatten: [N] by root: complement of the smallest id
@group(0) @binding(7) var<storage, read_write> fastest: atomic<u32>; // flatten: bits of the largest |velocity component|
@group(0) @binding(8) var<storage, read_write> parents: array<atomic<u32>>; // flatten: [N]
@group(0) @binding(8) var<storage, read_write> labelOf: array<u32>; // assign: [N] by id

const RUN = 16u; // consecutive particles of an invocation of `number`

@compute @workgroup_size(GROUP)
fn flatten(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let head = heads[i];
  let root = rootOf(head);
  heads[i] = root;
  if (head == i) { atomicAdd(&sizes[root], starts[i + 1u] - starts[i]); }
  // A look before each exchange: few particles of a large group change anything.
  let label = ~ids[i];
  if (atomicLoad(&labels[root]) < label) { atomicMax(&labels[root], label); }
  let speeds = vec3u(velocityBits[3u * i], velocityBits[3u * i + 1u], velocityBits[3u * i + 2u]) & vec3u(0x7fffffffu);
  let speed = max(max(speeds.x, speeds.y), speeds.z);
  if (atomicLoad(&fastest) < speed) { atomicMax(&fastest, speed); }
}

@compute @workgroup_size(GROUP)
fn number(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var found = 0u;
  for (var i = first; i < last; i++) {
    let size = groupSizes[i];
    if (size == 0u) { continue; }
    found++;
    numbers[i] = NONE;
    if (size < search.minimum) { continue; }
    let at = atomicAdd(&tally.large, 1u);
    atomicAdd(&tally.members, size);
    numbers[i] = at;
    groups[at] = vec2u(size, ~groupLabels[i]);
  }
  if (found > 0u) { atomicAdd(&tally.groups, found); }
}

@compute @workgroup_size(GROUP)
fn assign(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let root = heads[i];
  heads[i] = numbers[root];
  labelOf[ids[i]] = ~groupLabels[root];
}
