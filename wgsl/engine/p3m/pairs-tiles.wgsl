// The sums of pairs.wgsl, sources through workgroup memory (engine/direct/force-tiles.wgsl), those within reach alone.
//#import "pairs.wgsl"
//#expects GROUP, CHUNK

const WORDS = GROUP / 32u;

var<workgroup> tile: array<vec4u, GROUP>;
var<workgroup> near: array<atomic<u32>, WORDS>; // bits of the sources that are

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
  let box = boxOf(group);
  let here = sources[group.y + min(l, group.z - 1u)].xyz;
  var sums = vec4f();
  var evaluated = 0u;
  for (var turn = 0u; turn < CHUNK / GROUP; turn++) { // loops go to constants: see engine/direct/force.wgsl
    let next = first + turn * GROUP;
    if (next >= end) { break; }
    workgroupBarrier(); // the last tile has been read
    let own = sourceAt(next + l, end);
    let keeps = own.w != 0u && isNear(box, own);
    if (keeps) { atomicOr(&near[l / 32u], 1u << (l % 32u)); }
    workgroupBarrier();
    var kept = 0u;
    var place = 0u;
    for (var k = 0u; k < WORDS; k++) {
      let bits = atomicLoad(&near[k]);
      kept += countOneBits(bits);
      place += countOneBits(select(select(0u, bits & ((1u << (l % 32u)) - 1u), k == l / 32u), bits, k < l / 32u));
    }
    if (keeps) { tile[place] = own; }
    if (l >= kept) { tile[l] = vec4u(); } // without mass
    evaluated += kept * group.z;
    workgroupBarrier();
    if (l < WORDS) { atomicStore(&near[l], 0u); }
    for (var k = 0u; k < GROUP; k += 4u) {
      if (k >= kept) { break; }
      sums = withPair(sums, here, tile[k]);
      sums = withPair(sums, here, tile[k + 1u]);
      sums = withPair(sums, here, tile[k + 2u]);
      sums = withPair(sums, here, tile[k + 3u]);
    }
  }
  if (l == 0u) { countPairs(evaluated); }
  partial[index * GROUP + l] = sums;
}
