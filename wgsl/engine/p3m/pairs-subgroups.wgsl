// The sums of pairs.wgsl, sources through the registers of a subgroup, of at least eight lanes (engine/direct/force-subgroups.wgsl): each
// lane reads one, of those within reach alone, and has two targets at a time, side by side.
//#import "pairs.wgsl"
//#expects GROUP, TILE, CHUNK

enable subgroups;

const LANES = 8u;

var<workgroup> tile: array<vec4u, TILE>;
var<workgroup> counts: vec2u; // sources in the tile, and targets

alias Here = array<vec3u, 2>;
alias Sums = array<vec4f, 2>;

fn withSource(sums: Sums, here: Here, there: vec4u) -> Sums {
  return Sums(withPair(sums[0], here[0], there), withPair(sums[1], here[1], there));
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
  let box = boxOf(group);
  let place = index * GROUP + l;
  var evaluated = 0u;
  for (var t = 0u; t < GROUP; t += LANES) { partial[place + t] = vec4f(); }
  for (var turn = 0u; turn < CHUNK / TILE; turn++) { // loops go to constants: see engine/direct/force.wgsl
    let next = first + turn * TILE;
    if (next >= end) { break; }
    var kept = 0u;
    for (var k = 0u; k < TILE; k += LANES) {
      let own = sourceAt(next + k + l, end);
      let near = own.w != 0u && isNear(box, own);
      let lanes = subgroupBallot(near).x;
      if (near) { tile[kept + countOneBits(lanes & ((1u << l) - 1u))] = own; }
      kept += countOneBits(lanes);
    }
    if (l == 0u) { counts = vec2u(kept, group.z); }
    let count = workgroupUniformLoad(&counts);
    evaluated += count.x * count.y;
    for (var t = 0u; t < GROUP; t += 2u * LANES) {
      if (t >= count.y) { break; }
      let targets = min(vec2u(t + l, t + LANES + l), vec2u(count.y - 1u)) + group.y;
      let here = Here(sources[targets.x].xyz, sources[targets.y].xyz);
      var sums = Sums(partial[place + t], partial[place + t + LANES]);
      for (var k = 0u; k < TILE; k += LANES) {
        if (k >= count.x) { break; }
        var own = tile[min(k + l, count.x - 1u)];
        own.w = select(0u, own.w, k + l < count.x);
        sums = withSource(sums, here, subgroupBroadcast(own, 0u));
        sums = withSource(sums, here, subgroupBroadcast(own, 1u));
        sums = withSource(sums, here, subgroupBroadcast(own, 2u));
        sums = withSource(sums, here, subgroupBroadcast(own, 3u));
        sums = withSource(sums, here, subgroupBroadcast(own, 4u));
        sums = withSource(sums, here, subgroupBroadcast(own, 5u));
        sums = withSource(sums, here, subgroupBroadcast(own, 6u));
        sums = withSource(sums, here, subgroupBroadcast(own, 7u));
      }
      partial[place + t] = sums[0];
      partial[place + t + LANES] = sums[1];
    }
    workgroupBarrier(); // the tile has been read
  }
  if (l == 0u) { countPairs(evaluated); }
}
