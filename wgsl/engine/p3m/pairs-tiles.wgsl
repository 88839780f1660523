// The sums of pairs.wgsl, sources through workgroup memory (engine/direct/force-tiles.wgsl).
//#import "pairs.wgsl"
//#expects GROUP, TILE, CHUNK

var<workgroup> tile: array<vec4u, TILE>;

@compute @workgroup_size(GROUP)
fn sum(@builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) all: vec3u, @builtin(local_invocation_index) l: u32) {
  let index = w.y * all.x + w.x;
  let item = work.first + index;
  if (item >= work.end) { return; }
  let number = groupOf(item);
  let group = groups[number];
  findReach(group, l, GROUP);
  let first = (item - itemStart[number]) * CHUNK;
  let end = min(workgroupUniformLoad(&ends[2u * NEAR_PENCILS]), first + CHUNK);
  let here = sources[group.y + min(l, group.z - 1u)].xyz;
  var sums = vec4f();
  for (var turn = 0u; turn < CHUNK / TILE; turn++) { // loops go to constants: see engine/direct/force.wgsl
    let next = first + turn * TILE;
    if (next >= end) { break; }
    workgroupBarrier(); // the last tile has been read
    for (var k = 0u; k < TILE / GROUP; k++) { tile[k * GROUP + l] = sourceAt(next + k * GROUP + l, end); }
    workgroupBarrier();
    for (var k = 0u; k < TILE; k += 4u) {
      sums = withPair(sums, here, tile[k]);
      sums = withPair(sums, here, tile[k + 1u]);
      sums = withPair(sums, here, tile[k + 2u]);
      sums = withPair(sums, here, tile[k + 3u]);
    }
  }
  partial[index * GROUP + l] = sums;
}
