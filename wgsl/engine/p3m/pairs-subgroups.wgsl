// The sums of pairs.wgsl, sources through the registers of a subgroup, of at least eight lanes (engine/direct/force-subgroups.wgsl): each
// lane reads one and has some targets, side by side.
//#import "pairs.wgsl"
//#expects GROUP, CHUNK

enable subgroups;

const LANES = 8u;
const TARGETS = GROUP / LANES;

alias Here = array<vec3u, TARGETS>;
alias Sums = array<vec4f, TARGETS>;

fn withSource(sums: Sums, here: Here, there: vec4u) -> Sums {
  var next: Sums;
  for (var t = 0u; t < TARGETS; t++) { next[t] = withPair(sums[t], here[t], there); }
  return next;
}

@compute @workgroup_size(LANES)
fn sum(@builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) all: vec3u, @builtin(local_invocation_index) l: u32) {
  let index = w.y * all.x + w.x;
  let item = work.first + index;
  if (item >= work.end) { return; }
  let number = groupOf(item);
  let group = groups[number];
  findReach(group, l, LANES);
  let first = (item - itemStart[number]) * CHUNK;
  let end = min(workgroupUniformLoad(&ends[2u * NEAR_PENCILS]), first + CHUNK);
  var here: Here;
  for (var t = 0u; t < TARGETS; t++) { here[t] = sources[group.y + min(l + t * LANES, group.z - 1u)].xyz; }
  var sums: Sums;
  for (var turn = 0u; turn < CHUNK / LANES; turn++) { // loops go to constants: see engine/direct/force.wgsl
    let next = first + turn * LANES;
    if (next >= end) { break; }
    let own = sourceAt(next + l, end);
    sums = withSource(sums, here, subgroupBroadcast(own, 0u));
    sums = withSource(sums, here, subgroupBroadcast(own, 1u));
    sums = withSource(sums, here, subgroupBroadcast(own, 2u));
    sums = withSource(sums, here, subgroupBroadcast(own, 3u));
    sums = withSource(sums, here, subgroupBroadcast(own, 4u));
    sums = withSource(sums, here, subgroupBroadcast(own, 5u));
    sums = withSource(sums, here, subgroupBroadcast(own, 6u));
    sums = withSource(sums, here, subgroupBroadcast(own, 7u));
  }
  for (var t = 0u; t < TARGETS; t++) { partial[index * GROUP + t * LANES + l] = sums[t]; }
}
