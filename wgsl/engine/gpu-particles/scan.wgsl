// Exclusive prefix sum, in place: reduce, then scan (portable: no workgroup waits for another).
// A level is split into chunks; `reduce` sums each chunk into the level above, which is scanned in its turn, and
// `scan` gives every chunk its offset. One invocation walks a chunk ("sequential", processors), or a workgroup shares one of
// SCAN_GROUP * SCAN_ITEMS, neighbours reading neighbouring words ("workgroup", GPUs).
//#import "../../lib/grid.wgsl"
//#expects CHUNK, SCAN_GROUP, SCAN_ITEMS

struct Level {
  count: u32, // entries of this level, or of a part of them
  firstChunk: u32, // where the part's sums lie in the level above
  chunks: u32, // that a workgroup scans one after the other: several at the top, which has one workgroup
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> vectors: array<vec4u>; // the same by fours, for the sequential shape
@group(0) @binding(2) var<storage, read_write> above: array<u32>;

const SEQUENTIAL_GROUP = 64u;

// Four values of a chunk at a time; those behind the level's last one count nothing and stay as they are.
fn isOfLevel(vector: u32) -> vec4<bool> {
  return vec4u(4u * vector) + vec4u(0u, 1u, 2u, 3u) < vec4u(level.count);
}

@compute @workgroup_size(SEQUENTIAL_GROUP)
fn reduceSequential(invocation: Invocation) {
  let chunk = flatIndex(invocation, SEQUENTIAL_GROUP);
  let first = chunk * (CHUNK / 4u);
  if (4u * first >= level.count) { return; }
  let last = min(first + CHUNK / 4u, (level.count + 3u) / 4u);
  var sums = vec4u(0u);
  for (var i = first; i < last; i++) { sums += select(vec4u(0u), vectors[i], isOfLevel(i)); }
  above[level.firstChunk + chunk] = sums.x + sums.y + sums.z + sums.w;
}

@compute @workgroup_size(SEQUENTIAL_GROUP)
fn scanSequential(invocation: Invocation) {
  let chunk = flatIndex(invocation, SEQUENTIAL_GROUP);
  let first = chunk * (CHUNK / 4u);
  if (4u * first >= level.count) { return; }
  let last = min(first + CHUNK / 4u, (level.count + 3u) / 4u);
  var sum = above[level.firstChunk + chunk];
  for (var i = first; i < last; i++) {
    let v = vectors[i];
    let pair = v.x + v.y;
    let before = vec4u(sum) + vec4u(0u, v.x, pair, pair + v.z);
    vectors[i] = select(v, before, isOfLevel(i));
    sum = before.w + v.w;
  }
}

// Words of a chunk, each row of SCAN_ITEMS one longer than it holds so that a column's reads hit different banks.
var<workgroup> words: array<u32, SCAN_GROUP * (SCAN_ITEMS + 1)>;
var<workgroup> sums: array<u32, SCAN_GROUP>;

fn padded(i: u32) -> u32 { return i + i / SCAN_ITEMS; }

@compute @workgroup_size(SCAN_GROUP)
fn reduceWorkgroup(invocation: Invocation) {
  let local = invocation.local;
  let chunk = flatWorkgroup(invocation);
  var sum = 0u;
  for (var k = 0u; k < SCAN_ITEMS; k++) {
    let i = chunk * CHUNK + k * SCAN_GROUP + local;
    if (i < level.count) { sum += values[i]; }
  }
  sums[local] = sum;
  for (var stride = SCAN_GROUP / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (local < stride) { sums[local] += sums[local + stride]; }
  }
  // Folding the grid into two dimensions may add idle workgroups.
  if (local == 0u && chunk * CHUNK < level.count) { above[level.firstChunk + chunk] = sums[0]; }
}

// Scans a chunk from `before` on; gives what the next one begins with.
fn scanChunk(chunk: u32, local: u32, before: u32) -> u32 {
  for (var k = 0u; k < SCAN_ITEMS; k++) {
    let i = k * SCAN_GROUP + local;
    let index = chunk * CHUNK + i;
    var value = 0u;
    if (index < level.count) { value = values[index]; }
    words[padded(i)] = value;
  }
  workgroupBarrier();
  var own = 0u;
  for (var k = 0u; k < SCAN_ITEMS; k++) { own += words[padded(local * SCAN_ITEMS + k)]; }
  sums[local] = own;
  workgroupBarrier();
  for (var stride = 1u; stride < SCAN_GROUP; stride *= 2u) {
    var below = 0u;
    if (local >= stride) { below = sums[local - stride]; }
    workgroupBarrier();
    sums[local] += below;
    workgroupBarrier();
  }
  var sum = before + sums[local] - own;
  for (var k = 0u; k < SCAN_ITEMS; k++) {
    let slot = padded(local * SCAN_ITEMS + k);
    let value = words[slot];
    words[slot] = sum;
    sum += value;
  }
  let after = before + sums[SCAN_GROUP - 1u];
  workgroupBarrier();
  for (var k = 0u; k < SCAN_ITEMS; k++) {
    let i = k * SCAN_GROUP + local;
    let index = chunk * CHUNK + i;
    if (index < level.count) { values[index] = words[padded(i)]; }
  }
  return after;
}

@compute @workgroup_size(SCAN_GROUP)
fn scanWorkgroup(invocation: Invocation) {
  let first = flatWorkgroup(invocation) * level.chunks;
  var sum = 0u;
  if (first * CHUNK < level.count) { sum = above[level.firstChunk + first]; }
  for (var k = 0u; k < level.chunks; k++) {
    workgroupBarrier(); // the words have been written
    sum = scanChunk(first + k, invocation.local, sum);
  }
}
