// Friends of friends, second part:
//   link      joins cells of one block or of neighbouring ones that hold a pair of friends
//#import "../../lib/grid.wgsl"
//#import "../../lib/wide-terms.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "friends-forest.wgsl"
//#import "friends-search.wgsl"
//#expects ISOLATED

@group(0) @binding(1) var<storage, read> points: array<u32>; // [N, 3] positions by cell
@group(0) @binding(2) var<storage, read_write> heads: array<u32>; // [N] head of the particle's cell
@group(0) @binding(3) var<storage, read_write> ranks: array<u32>; // [N] among the particles of the cell
@group(0) @binding(4) var<storage, read> starts: array<u32>; // [N + 1] by head: first of the cell's points
@group(0) @binding(5) var<storage, read> cellEntries: array<u32>;
@group(0) @binding(6) var<storage, read> blockEntries: array<u32>;
@group(0) @binding(7) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(8) var<storage, read_write> parents: array<atomic<u32>>; // [N]

// An invocation takes up to CHUNK particles of one cell and half of the neighbouring blocks; cells in one tree need no look.
// The criterion is exact: d² ≤ b² of integers, in 64 bits where float32 leaves it open.

const CHUNK = 32u;
// float32 rounds squares of distances like b by less than this, relatively.
const DOUBT = 0x1p-18;
// Cells that friends may be apart, per axis.
const REACH = 2;

// The block itself (0) and half of its neighbours (1 … 13); the other half are their opposites.
const BLOCKS = 14u;

fn neighbourBlock(block: vec3i, k: u32) -> vec3i {
  let i = i32(k) + 13;
  return block + vec3i(i % 3, i / 3 % 3, i / 9) - vec3i(1);
}

fn pointAt(k: u32) -> vec3u {
  return vec3u(points[3u * k], points[3u * k + 1u], points[3u * k + 2u]);
}

// Separation of particles in neighbouring cells: less than 2^31 on each axis, across a face of the box, too.
fn separation(a: vec3u, b: vec3u) -> vec3i {
  return bitcast<vec3i>(a - b);
}

fn areFriends(d: vec3i) -> bool {
  let f = vec3f(d);
  let square = dot(f, f);
  if (square > search.square * (1.0 + DOUBT)) { return false; }
  if (square < search.square * (1.0 - DOUBT)) { return true; }
  let size = vec3u(abs(d));
  let x = product(size.x, size.x);
  let y = product(size.y, size.y);
  let z = product(size.z, size.z);
  let sum = plus(plus(x, y), z);
  return sum.y < search.squareHigh || (sum.y == search.squareHigh && sum.x <= search.squareLow);
}

// Octants of a block that hold particles.
fn octantsOf(hash: u32) -> u32 {
  let place = blockPlace(hash);
  var at = place.home;
  var entry = blockEntries[at];
  while (entry != 0u && (entry & ~OCTANTS) != place.mark) {
    at = (at + 1u) & search.mask;
    entry = blockEntries[at];
  }
  return entry & OCTANTS;
}

// Head of a cell in a block with this hash; NONE when it holds no particle.
fn headOf(cell: vec3i, hash: u32, octant: u32) -> u32 {
  let place = cellPlace(hash, octant);
  var at = place.home;
  loop {
    let entry = cellEntries[at];
    if (entry == 0u) { break; }
    if ((entry & ~search.headMask) == place.mark) {
      let head = headIn(entry);
      if (all(cellOf(pointAt(starts[head]), imageOf(head)) == cell)) { return head; }
    }
    at = (at + 1u) & search.mask;
  }
  return NONE;
}

fn wrapped(block: vec3i) -> vec3i {
  if (ISOLATED) { return block; }
  let m = vec3i(i32(search.cells / 2u));
  return select(select(block, block + m, block < vec3i(0)), block - m, block >= m);
}

// Bounding box of a chunk, relative to its first particle.
struct Box {
  low: vec3f,
  high: vec3f,
}

fn boxOf(first: u32, last: u32) -> Box {
  let origin = pointAt(first);
  var box = Box(vec3f(0.0), vec3f(0.0));
  for (var k = first + 1u; k < last; k++) {
    let d = vec3f(separation(pointAt(k), origin));
    box = Box(min(box.low, d), max(box.high, d));
  }
  return box;
}

// Whether a particle of the chunk first … last − 1 is a friend of one of the cell with this head.
fn touches(first: u32, last: u32, box: Box, head: u32, root: u32) -> bool {
  let origin = pointAt(first);
  let end = starts[head + 1u];
  for (var k = starts[head]; k < end; k++) {
    let point = pointAt(k);
    let d = vec3f(separation(point, origin));
    let gap = max(max(box.low - d, d - box.high), vec3f(0.0));
    if (dot(gap, gap) > search.square * (1.0 + DOUBT)) { continue; }
    for (var j = first; j < last; j++) {
      if (areFriends(separation(pointAt(j), point))) { return true; }
    }
    // Others may have joined the cells by now.
    if ((k & 15u) == 15u && rootOf(head) == rootOf(root)) { return false; }
  }
  return false;
}

@compute @workgroup_size(GROUP)
fn link(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  if (ranks[i] % CHUNK != 0u) { return; }
  let head = heads[i];
  let first = starts[head] + ranks[i];
  let last = min(first + CHUNK, starts[head + 1u]);
  let cell = cellOf(pointAt(first), imageOf(head));
  let box = boxOf(first, last);
  let block = cell >> vec3u(1u);
  let octant = octantOf(cell);
  // First a quick look at who is there at all: rarely anybody.
  var present = 0u;
  for (var k = 0u; k < BLOCKS; k++) {
    var octants = octantsOf(hashOf(wrapped(neighbourBlock(block, k))));
    if (k == 0u) { octants &= 0xfeu << octant; } // each pair of cells once
    present |= select(0u, 1u << k, octants != 0u);
  }
  var root = rootOf(head);
  while (present != 0u) {
    let k = firstTrailingBit(present);
    present &= present - 1u;
    let neighbour = neighbourBlock(block, k);
    let place = wrapped(neighbour);
    let hash = hashOf(place);
    var octants = octantsOf(hash);
    if (k == 0u) { octants &= 0xfeu << octant; }
    while (octants != 0u) {
      let o = firstTrailingBit(octants);
      octants &= octants - 1u;
      let corner = vec3i(vec3u(o, o >> 1u, o >> 2u) & vec3u(1u));
      if (any(abs(2 * neighbour + corner - cell) > vec3i(REACH))) { continue; }
      let other = headOf(2 * place + corner, hash, o);
      if (other == NONE || rootOf(other) == root) { continue; }
      if (touches(first, last, box, other, root)) { root = join(root, other); }
    }
  }
}
