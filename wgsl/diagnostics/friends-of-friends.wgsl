// Friends-of-friends groups (Davis+ 1985): particles no further apart than the linking length b are friends, and a group
// is what friendship connects. Entry points in the order of their dispatches:
//   insert    enters every particle's cell and block in the tables, counts the particles of each cell under its head
//   scatter   (the counts summed up) positions next to those of the same cell
//   link      joins cells of one block or of neighbouring ones that hold a pair of friends
//   flatten   from the forest to groups: every particle's root, each group's size and its smallest id, which is its label
//   number    numbers for the groups that are large enough
//   assign    tells every particle its group's number and label, and every group a member to measure separations from
//   sums      mass, centre of mass and velocity of each group
//   farthest, spread   greatest and summed squares of distances from the centre and of velocities relative to its own
//
// Cells are so small, side ≤ b/√3, that all particles of a cell are friends; blocks of 2³ cells
// are so large, side ≥ b, that friends are in one block or in neighbouring ones. There are far too many for an array: those
// that hold particles are entered in hash tables with linear probing,
//   cells   each as one of its particles, its head, whose position tells which cell it is,
//   blocks  each as a mark and the octants that hold particles. Blocks of one mark may share an entry: then a cell
//           is looked for in vain.
// An isolated box is tiled on beyond its faces; a periodic one wraps.
//#import "../lib/box-image.wgsl"
//#import "../lib/grid.wgsl"
//#import "../lib/integer-scale.wgsl"
//#import "../lib/wide-product.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#expects ISOLATED, MASS_UNITS

struct Search {
  count: u32, // N
  cells: u32, // m, per side of the box, even
  mask: u32, // entries of a table less one, a power of two less one
  headMask: u32, // bits of a cell's entry that hold head + 1; the others hold a mark
  squareLow: u32, // b² [(L/2^32)²], low and high word
  squareHigh: u32,
  square: f32, // b²
  minimum: u32, // members of the smallest group in the catalogue
}

struct Tally {
  groups: atomic<u32>, // in all
  large: atomic<u32>, // of `minimum` members and more
  members: atomic<u32>, // of those
}

struct Centre {
  position: vec4u, // of the centre of mass, and its image
  velocity: vec4f, // mean [1/velocityScale]
}

// Buffers, by entry point where several have a number in common. Zeroed at the start: cells, blocks, counts, sizes, labels,
// fastest, tally, totals.
@group(0) @binding(0) var<uniform> search: Search;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> points: array<u32>; // link: [N, 3] `sorted`
@group(0) @binding(1) var<storage, read> velocityBits: array<u32>; // flatten: [N, 3] f32 as bits
@group(0) @binding(1) var<storage, read> groupSizes: array<u32>; // number: [N] `sizes`
// [N] head of the particle's cell, from `flatten` on its root, from `assign` on its group's number or NONE
@group(0) @binding(2) var<storage, read_write> heads: array<u32>;
@group(0) @binding(2) var<storage, read_write> groups: array<vec2u>; // number: by number: members, label
@group(0) @binding(3) var<storage, read_write> ranks: array<u32>; // insert, scatter, link: [N] among the particles of the cell
@group(0) @binding(3) var<storage, read> ids: array<u32>; // flatten and after: [N]
@group(0) @binding(3) var<storage, read_write> tally: Tally; // number
@group(0) @binding(4) var<storage, read_write> cells: array<atomic<u32>>; // insert: 0: no entry
@group(0) @binding(4) var<storage, read> starts: array<u32>; // scatter, link, flatten: [N + 1] `counts`, summed up
@group(0) @binding(4) var<storage, read> groupLabels: array<u32>; // number, assign: [N] `labels`
@group(0) @binding(4) var<storage, read> massUnits: array<u32>; // of members: [N] by id
@group(0) @binding(5) var<storage, read_write> blocks: array<atomic<u32>>; // insert: 0: no entry
@group(0) @binding(5) var<storage, read_write> sorted: array<u32>; // scatter: [N, 3]
@group(0) @binding(5) var<storage, read> cellEntries: array<u32>; // link: `cells`
@group(0) @binding(5) var<storage, read_write> sizes: array<atomic<u32>>; // flatten: [N] by root, 0 elsewhere
@group(0) @binding(5) var<storage, read_write> numbers: array<u32>; // number, assign: [N] by root; NONE for a small group
@group(0) @binding(5) var<storage, read> velocities: array<f32>; // of members: [N, 3]
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>; // insert: [N + 1] by head
@group(0) @binding(6) var<storage, read> blockEntries: array<u32>; // link: `blocks`
@group(0) @binding(6) var<storage, read_write> labels: array<atomic<u32>>; // flatten: [N] by root: complement of the smallest id
@group(0) @binding(6) var<storage, read_write> references: array<vec4u>; // assign, sums: by number: position, image
@group(0) @binding(6) var<storage, read> centres: array<Centre>; // farthest, spread: by number
@group(0) @binding(7) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(7) var<storage, read_write> fastest: atomic<u32>; // flatten: bits of the largest |velocity component|
@group(0) @binding(8) var<storage, read_write> parents: array<atomic<u32>>; // insert, link, flatten: [N]
@group(0) @binding(8) var<storage, read_write> labelOf: array<u32>; // assign: [N] by id
// sums: [groups, 7, 3]; farthest, spread: [groups, 2, 3] of r², and of |v − v̄|²: bits of the greatest; sum, low and high word
@group(0) @binding(8) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(9) var<uniform> velocityScale: vec4f; // of members; x: power of two; |velocity component| · x < 1

const GROUP = 64u;
const RUN = 16u; // consecutive particles of an invocation from `number` on: often they belong to one group
const NONE = 0xffffffffu;
const OCTANTS = 0xffu;

fn cellOf(u: vec3u, image: u32) -> vec3i {
  let m = search.cells;
  let cell = vec3i(vec3u(highProduct(u.x, m), highProduct(u.y, m), highProduct(u.z, m)));
  if (ISOLATED) { return cell + imageOffsets(image) * i32(m); }
  return cell;
}

fn octantOf(cell: vec3i) -> u32 {
  let odd = bitcast<vec3u>(cell) & vec3u(1u);
  return odd.x | (odd.y << 1u) | (odd.z << 2u);
}

// The low bits are those of x: four neighbours along x are looked for in one place of memory.
fn hashOf(block: vec3i) -> u32 {
  let c = bitcast<vec3u>(block);
  var h = ((c.x >> 2u) * 0x9e3779b1u) ^ (c.y * 0x85ebca6bu) ^ (c.z * 0xc2b2ae35u);
  h = (h ^ (h >> 16u)) * 0x7feb352du;
  h = (h ^ (h >> 15u)) * 0x846ca68bu;
  return ((h ^ (h >> 16u)) << 2u) | (c.x & 3u);
}

// Where a block or a cell is looked for first, and its mark in the bits that an entry leaves for it.
struct Place {
  home: u32,
  mark: u32,
}

fn blockPlace(hash: u32) -> Place {
  return Place(hash & search.mask, (hash * 0x9e3779b1u) & ~OCTANTS);
}

// Cells of a block are neighbours in memory.
fn cellPlace(hash: u32, octant: u32) -> Place {
  return Place(((hash << 3u) | octant) & search.mask, ((hash ^ (octant << 24u)) * 0x85ebca6bu) & ~search.headMask);
}

fn headIn(entry: u32) -> u32 {
  return (entry & search.headMask) - 1u;
}

// Which particle of a cell becomes its head is a race; nothing that follows depends on it. No invocation waits for
// another: a lost exchange means that the entry is taken, and the search goes on from there.

fn enterBlock(place: Place, octant: u32) {
  var at = place.home;
  loop {
    var found = atomicLoad(&blocks[at]);
    if (found == 0u) {
      let exchange = atomicCompareExchangeWeak(&blocks[at], 0u, place.mark | octant);
      if (exchange.exchanged) { return; }
      found = exchange.old_value;
      if (found == 0u) { continue; }
    }
    if ((found & ~OCTANTS) == place.mark) {
      atomicOr(&blocks[at], octant);
      return;
    }
    at = (at + 1u) & search.mask;
  }
}

@compute @workgroup_size(GROUP)
fn insert(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let cell = cellOf(positionOf(i), imageOf(i));
  let octant = octantOf(cell);
  let hash = hashOf(cell >> vec3u(1u));
  let place = cellPlace(hash, octant);
  let entry = place.mark | (i + 1u);
  var at = place.home;
  var head = i;
  loop {
    var found = atomicLoad(&cells[at]);
    if (found == 0u) {
      let exchange = atomicCompareExchangeWeak(&cells[at], 0u, entry);
      if (exchange.exchanged) { break; }
      found = exchange.old_value;
      if (found == 0u) { continue; } // failed for no reason: again
    }
    if ((found & ~search.headMask) == place.mark) {
      let other = headIn(found);
      if (all(cellOf(positionOf(other), imageOf(other)) == cell)) {
        head = other;
        break;
      }
    }
    at = (at + 1u) & search.mask;
  }
  if (head == i) { enterBlock(blockPlace(hash), 1u << octant); }
  heads[i] = head;
  ranks[i] = atomicAdd(&counts[head], 1u);
  atomicStore(&parents[i], i);
}

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let slot = starts[heads[i]] + ranks[i];
  for (var axis = 0u; axis < 3u; axis++) { sorted[3u * slot + axis] = positions[3u * i + axis]; }
}

// A forest of cells, by their heads: a root has the least number of its tree, and a parent a lesser number than its child,
// so there are no cycles. Lock-free (Anderson & Woll 1991): parents only ever become lesser, a stale one is still an
// ancestor, and an exchange fails only where another's has succeeded.

// Root of a node; on the way every other node is hung up one generation higher.
fn rootOf(start: u32) -> u32 {
  var node = start;
  loop {
    let parent = atomicLoad(&parents[node]);
    if (parent == node) { return node; }
    let above = atomicLoad(&parents[parent]);
    if (above != parent) { atomicMin(&parents[node], above); }
    node = above;
  }
}

// Makes two nodes one tree and returns its root as it was then.
fn join(a: u32, b: u32) -> u32 {
  var x = a;
  var y = b;
  loop {
    x = rootOf(x);
    y = rootOf(y);
    if (x == y) { return x; }
    let root = min(x, y);
    let child = max(x, y);
    if (atomicCompareExchangeWeak(&parents[child], child, root).exchanged) { return root; }
  }
}

// Of neighbouring blocks half suffices. An invocation takes up to CHUNK particles of one cell; cells that are in one tree already need no
// look at their particles. The criterion is exact: d² ≤ b² of integers, in 64 bits where float32 leaves it open.

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

// a² as low and high word, a < 2^31.
fn squared(a: u32) -> vec2u {
  let low = a & 0xffffu;
  let high = a >> 16u;
  let middle = 2u * low * high;
  let sum = low * low + (middle << 16u);
  return vec2u(sum, high * high + (middle >> 16u) + select(0u, 1u, sum < (middle << 16u)));
}

fn areFriends(d: vec3i) -> bool {
  let f = vec3f(d);
  let square = dot(f, f);
  if (square > search.square * (1.0 + DOUBT)) { return false; }
  if (square < search.square * (1.0 - DOUBT)) { return true; }
  let size = vec3u(abs(d));
  let x = squared(size.x);
  let y = squared(size.y);
  let z = squared(size.z);
  let xy = x.x + y.x;
  let low = xy + z.x;
  let high = x.y + y.y + z.y + select(0u, 1u, xy < y.x) + select(0u, 1u, low < z.x);
  return high < search.squareHigh || (high == search.squareHigh && low <= search.squareLow);
}

// Octants of a block that hold particles.
fn octantsOf(hash: u32) -> u32 {
  let place = blockPlace(hash);
  var at = place.home;
  loop {
    let entry = blockEntries[at];
    if (entry == 0u) { return 0u; }
    if ((entry & ~OCTANTS) == place.mark) { return entry & OCTANTS; }
    at = (at + 1u) & search.mask;
  }
}

// Head of a cell in a block with this hash; NONE when it holds no particle.
fn headOf(cell: vec3i, hash: u32, octant: u32) -> u32 {
  let place = cellPlace(hash, octant);
  var at = place.home;
  loop {
    let entry = cellEntries[at];
    if (entry == 0u) { return NONE; }
    if ((entry & ~search.headMask) == place.mark) {
      let head = headIn(entry);
      if (all(cellOf(pointAt(starts[head]), imageOf(head)) == cell)) { return head; }
    }
    at = (at + 1u) & search.mask;
  }
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

// The member to measure separations from is the one whose id is the label.
@compute @workgroup_size(GROUP)
fn assign(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let root = heads[i];
  let at = numbers[root];
  let label = ~groupLabels[root];
  heads[i] = at;
  labelOf[ids[i]] = label;
  if (at != NONE && ids[i] == label) {
    references[at] = vec4u(positionOf(i), imageOf(i));
  }
}

// What sums over the members of groups share: masses, and separations from a point of the group, to the nearest image in a
// periodic box, and exact across the boxes in an isolated one. An invocation takes RUN consecutive particles, which often
// belong to one group.

fn velocityOf(i: u32) -> vec3f {
  return vec3f(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]) * velocityScale.x;
}

// Separation = near + 2^32 · boxes, in L/2^32.
struct Separation {
  near: vec3i,
  boxes: vec3i,
}

fn separationFrom(point: vec4u, i: u32) -> Separation {
  let u = positionOf(i);
  let near = bitcast<vec3i>(u - point.xyz);
  if (!ISOLATED) { return Separation(near, vec3i(0)); }
  // What 32 bits can't hold of the difference within a box.
  let above = (u >= point.xyz) & (near < vec3i(0));
  let below = (u < point.xyz) & (near >= vec3i(0));
  let lost = select(vec3i(0), vec3i(1), above) - select(vec3i(0), vec3i(1), below);
  return Separation(near, imageOffsets(imageOf(i)) - imageOffsets(point.w) + lost);
}

// Sums over the members of each group that don't depend on the order of the particles: integers of 96 bits, two's
// complement, low word first, added with carries. Mass [mass units], mass × separation from the group's reference member
// [mass unit · L/2^32], mass × velocity [mass unit · 2^-30 / velocityScale].

struct Sums {
  mass: vec3u,
  x: vec3u,
  y: vec3u,
  z: vec3u,
  vx: vec3u,
  vy: vec3u,
  vz: vec3u,
}

fn plus96(a: vec3u, b: vec3u) -> vec3u {
  let low = a.x + b.x;
  let middle = a.y + b.y;
  let carried = middle + select(0u, 1u, low < b.x);
  return vec3u(low, carried, a.z + b.z + select(0u, 1u, middle < b.y) + select(0u, 1u, carried < middle));
}

// mass · factor, 64 bits and sign
fn times(mass: u32, factor: i32) -> vec3u {
  let size = u32(abs(factor)); // of −2^31, too
  let product = vec3u(mass * size, highProduct(mass, size), 0u);
  if (factor >= 0) { return product; }
  return plus96(~product, vec3u(1u, 0u, 0u));
}

// mass · (near + 2^32 boxes)
fn timesSeparation(mass: u32, near: i32, boxes: i32) -> vec3u {
  let product = times(mass, near);
  if (!ISOLATED) { return product; }
  return plus96(product, vec3u(0u, times(mass, boxes).xy));
}

fn addTo96(at: u32, term: vec3u) {
  let low = select(0u, 1u, atomicAdd(&totals[at], term.x) > ~term.x);
  let middle = term.y + low;
  let high = term.z + select(0u, 1u, atomicAdd(&totals[at + 1u], middle) > ~middle) + select(0u, 1u, middle < low);
  if (high != 0u) { atomicAdd(&totals[at + 2u], high); }
}

fn addSums(number: u32, sums: Sums) {
  if (number == NONE) { return; }
  let at = 21u * number;
  addTo96(at, sums.mass);
  addTo96(at + 3u, sums.x);
  addTo96(at + 6u, sums.y);
  addTo96(at + 9u, sums.z);
  addTo96(at + 12u, sums.vx);
  addTo96(at + 15u, sums.vy);
  addTo96(at + 18u, sums.vz);
}

@compute @workgroup_size(GROUP)
fn sums(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var group = NONE;
  var sum = Sums();
  var point = vec4u(0u);
  for (var i = first; i < last; i++) {
    let here = heads[i];
    if (here != group) {
      addSums(group, sum);
      group = here;
      sum = Sums();
      if (here != NONE) { point = references[here]; }
    }
    if (here == NONE) { continue; }
    let mass = massOf(i);
    let d = separationFrom(point, i);
    let v = vec3i(round(velocityOf(i) * 0x1p30));
    sum.mass = plus96(sum.mass, vec3u(mass, 0u, 0u));
    sum.x = plus96(sum.x, timesSeparation(mass, d.near.x, d.boxes.x));
    sum.y = plus96(sum.y, timesSeparation(mass, d.near.y, d.boxes.y));
    sum.z = plus96(sum.z, timesSeparation(mass, d.near.z, d.boxes.z));
    sum.vx = plus96(sum.vx, times(mass, v.x));
    sum.vy = plus96(sum.vy, times(mass, v.y));
    sum.vz = plus96(sum.vz, times(mass, v.z));
  }
  addSums(group, sum);
}

// How far the members of each group are from its centre of mass, and how much their velocities differ from its own: the
// greatest r² and the sums of m r² and m |v − v̄|². `farthest` finds the greatest terms, `spread` adds the terms as integers
// scaled by a power of two that leaves room for 30 bits of those: no order of the particles shows. r in box sides, v in
// units of 1/velocityScale, m in units of the heaviest.

// r² and |v − v̄|² of a particle
fn squaresOf(centre: Centre, i: u32) -> vec2f {
  let d = separationFrom(centre.position, i);
  let r = vec3f(d.near) * 0x1p-32 + vec3f(d.boxes);
  let v = velocityOf(i) - centre.velocity.xyz;
  return vec2f(dot(r, r), dot(v, v));
}

fn keepGreatest(number: u32, squares: vec2f) {
  if (number == NONE) { return; }
  atomicMax(&totals[6u * number], bitcast<u32>(squares.x));
  atomicMax(&totals[6u * number + 3u], bitcast<u32>(squares.y));
}

@compute @workgroup_size(GROUP)
fn farthest(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var group = NONE;
  var greatest = vec2f(0.0);
  for (var i = first; i < last; i++) {
    let here = heads[i];
    if (here != group) {
      keepGreatest(group, greatest);
      group = here;
      greatest = vec2f(0.0);
    }
    if (here != NONE) { greatest = max(greatest, squaresOf(centres[here], i)); }
  }
  keepGreatest(group, greatest);
}

fn plus64(sum: vec2u, term: u32) -> vec2u {
  let low = sum.x + term;
  return vec2u(low, sum.y + select(0u, 1u, low < term));
}

fn addTo64(at: u32, sum: vec2u) {
  let high = sum.y + select(0u, 1u, atomicAdd(&totals[at], sum.x) > ~sum.x);
  if (high != 0u) { atomicAdd(&totals[at + 1u], high); }
}

fn addSquares(number: u32, distance: vec2u, velocity: vec2u) {
  if (number == NONE) { return; }
  addTo64(6u * number + 1u, distance);
  addTo64(6u * number + 4u, velocity);
}

@compute @workgroup_size(GROUP)
fn spread(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, search.count);
  var group = NONE;
  var scales = vec2f(0.0);
  var distance = vec2u(0u);
  var velocity = vec2u(0u);
  for (var i = first; i < last; i++) {
    let here = heads[i];
    if (here != group) {
      addSquares(group, distance, velocity);
      group = here;
      distance = vec2u(0u);
      velocity = vec2u(0u);
      if (here != NONE) { scales = vec2f(integerScale(atomicLoad(&totals[6u * here])), integerScale(atomicLoad(&totals[6u * here + 3u]))); }
    }
    if (here == NONE) { continue; }
    let mass = f32(massOf(i)) * (1.0 / f32(MASS_UNITS));
    let terms = vec2u(squaresOf(centres[here], i) * scales * mass + vec2f(0.5));
    distance = plus64(distance, terms.x);
    velocity = plus64(velocity, terms.y);
  }
  addSquares(group, distance, velocity);
}
