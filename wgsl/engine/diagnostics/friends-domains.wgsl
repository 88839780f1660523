// Friends of friends where particles lie in chunks: a domain of the box at a time, with what lies around it. Entry points in
// the order of their dispatches, of a chunk of slots (W) or of the particles of a domain (D):
//   survey     W: particles by their bins along an axis, to cut the domains by
//   take       W: the particles of a domain and those around it, in any order
//   settle     D: (cells linked) every particle's root, each group's size, its smallest id and whether it is open
//   numberPart D: numbers for the groups that are large enough and closed, and for the open ones
//   place      D: what a domain's own particles know of their groups, number or complement of the label, by slot
//   keep       D: the groups of the particles around
//   meet       W: pairs of open groups that have a particle in common
//   resolve, resolveLabels   W: from open groups to what the host has made of them
//   fastest    W: the largest velocity component
//
// A domain is a box of bins, each at least b wide, so that friends are in one bin or in neighbouring ones. With the particles
// of all bins about it, a domain has all friends of its own. A group that has a particle outside of the domain, or one that
// others see from outside, is open: it may go on in another domain. Those around a domain have a home where they are its own;
// there, too, their group is open, and the two are one.
//#import "../../lib/grid.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "friends-forest.wgsl"
//#import "friends-search.wgsl"
//#expects ISOLATED

struct Domain {
  low: vec3u, // first bin
  bins: u32, // per side of the box
  size: vec3u, // [bins]
  axis: u32, // survey
  firstNumber: u32, // of the groups of this domain, and of its open ones
  firstOpen: u32,
}

struct Chunk {
  first: u32, // slot
  count: u32,
}

// What is counted in a domain.
struct PartTally {
  groups: atomic<u32>, // closed
  large: atomic<u32>, // closed, of `minimum` members and more
  members: atomic<u32>, // of those
  open: atomic<u32>,
  kept: atomic<u32>, // particles around, by `keep`
}

// Particles of a domain.
struct Taken {
  all: atomic<u32>,
  around: atomic<u32>, // not its own
}

// Zeroed for a domain: taken, sizes, labels, tally; for a survey: histogram; at the start: fastest.
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [count, 3]
@group(0) @binding(1) var<storage, read> velocityBits: array<u32>; // fastest: [count, 3] f32 as bits
@group(0) @binding(1) var<storage, read> groupSizes: array<u32>; // numberPart: `sizes`
@group(0) @binding(1) var<storage, read> outcome: array<u32>; // resolve, resolveLabels: by open group: number, or complement of the label
@group(0) @binding(1) var<storage, read> around: array<vec2u>; // meet: slot, open group
@group(0) @binding(2) var<storage, read_write> heads: array<u32>; // D: [count] of the particle's cell, from `settle` on its root
@group(0) @binding(2) var<storage, read> takenIds: array<u32>; // take: [slots]
@group(0) @binding(2) var<storage, read_write> groups: array<vec2u>; // numberPart: by number: members, label
@group(0) @binding(2) var<storage, read_write> bySlot: array<u32>; // resolve, resolveLabels, meet: [slots] number, or open group
@group(0) @binding(3) var<storage, read_write> histogram: array<atomic<u32>>; // survey: [bins]
@group(0) @binding(3) var<storage, read_write> taken: Taken; // take
@group(0) @binding(3) var<storage, read> ids: array<u32>; // settle: [count]
@group(0) @binding(3) var<storage, read_write> tally: PartTally; // numberPart, keep
@group(0) @binding(3) var<storage, read_write> labelBySlot: array<u32>; // resolveLabels: [slots] complement of the label
@group(0) @binding(3) var<storage, read_write> met: array<vec2u>; // meet: open groups of one particle
@group(0) @binding(4) var<storage, read_write> partPositions: array<u32>; // take: [count, 3]
@group(0) @binding(4) var<storage, read> groupLabels: array<u32>; // numberPart: `labels`
@group(0) @binding(4) var<storage, read> slots: array<u32>; // place, keep: [count]
@group(0) @binding(5) var<storage, read_write> partIds: array<u32>; // take
@group(0) @binding(5) var<storage, read_write> sizes: array<atomic<u32>>; // settle: by root: own particles, and OPEN
@group(0) @binding(5) var<storage, read_write> numbers: array<u32>; // numberPart and after: by root: number, NONE, or open group; place: or `labels`
@group(0) @binding(6) var<storage, read_write> partSlots: array<u32>; // take
@group(0) @binding(6) var<storage, read_write> labels: array<atomic<u32>>; // settle: by root: complement of the smallest id
@group(0) @binding(6) var<storage, read_write> openGroups: array<vec2u>; // numberPart: own members, label
@group(0) @binding(6) var<storage, read_write> placed: array<u32>; // place: `bySlot`, or `labelBySlot`
@group(0) @binding(6) var<storage, read_write> kept: array<vec2u>; // keep: `around`
@group(0) @binding(7) var<storage, read> images: array<u32>; // isolated
@group(0) @binding(7) var<storage, read_write> greatest: atomic<u32>; // fastest: bits
@group(0) @binding(8) var<storage, read_write> partImages: array<u32>; // take, isolated
@group(0) @binding(8) var<storage, read_write> parents: array<atomic<u32>>; // settle
@group(0) @binding(9) var<uniform> domain: Domain;
@group(0) @binding(10) var<uniform> chunk: Chunk;

// Mark of a number that is an open group's, and of the size of an open group.
const OPEN = 0x80000000u;

// Bins of the box; those at its faces reach on beyond an isolated one.
fn binOf(i: u32) -> vec3u {
  let u = positionOf(i);
  let m = domain.bins;
  let bin = vec3u(highProduct(u.x, m), highProduct(u.y, m), highProduct(u.z, m));
  if (!ISOLATED) { return bin; }
  return vec3u(clamp(vec3i(bin) + imageOffsets(imageOf(i)) * i32(m), vec3i(0), vec3i(i32(m) - 1)));
}

// Bins from the first of a domain with `margin` more on either side.
fn offsetIn(bin: vec3u, margin: u32) -> vec3u {
  return (bin + vec3u(domain.bins + margin) - domain.low) % vec3u(domain.bins);
}

fn isAbout(bin: vec3u) -> bool {
  return all(offsetIn(bin, 1u) < domain.size + vec3u(2u));
}

fn isOwn(bin: vec3u) -> bool {
  return all(offsetIn(bin, 0u) < domain.size);
}

// Whether other domains see one of a domain's own bins from outside.
fn isExposed(bin: vec3u) -> bool {
  let offset = offsetIn(bin, 0u);
  return any((domain.size < vec3u(domain.bins)) & ((offset == vec3u(0u)) | (offset + vec3u(1u) == domain.size)));
}

@compute @workgroup_size(GROUP)
fn survey(invocation: Invocation) {
  let run = runOf(invocation, chunk.count);
  var bin = NONE;
  var found = 0u;
  for (var i = run.x; i < run.y; i++) {
    let here = binOf(i);
    if (!isAbout(here)) { continue; }
    if (here[domain.axis] != bin) {
      if (found > 0u) { atomicAdd(&histogram[bin], found); }
      bin = here[domain.axis];
      found = 0u;
    }
    found++;
  }
  if (found > 0u) { atomicAdd(&histogram[bin], found); }
}

@compute @workgroup_size(GROUP)
fn take(invocation: Invocation) {
  let run = runOf(invocation, chunk.count);
  var wanted = 0u; // a bit for each
  var own = 0u;
  for (var i = run.x; i < run.y; i++) {
    let bin = binOf(i);
    if (!isAbout(bin)) { continue; }
    wanted |= 1u << (i - run.x);
    if (isOwn(bin)) { own++; }
  }
  if (wanted == 0u) { return; }
  let found = countOneBits(wanted);
  if (own < found) { atomicAdd(&taken.around, found - own); }
  var at = atomicAdd(&taken.all, found);
  for (; wanted != 0u; wanted &= wanted - 1u) {
    let i = run.x + firstTrailingBit(wanted);
    for (var axis = 0u; axis < 3u; axis++) { partPositions[3u * at + axis] = positions[3u * i + axis]; }
    partIds[at] = takenIds[i];
    partSlots[at] = chunk.first + i;
    if (ISOLATED) { partImages[at] = images[i]; }
    at++;
  }
}

@compute @workgroup_size(GROUP)
fn settle(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var group = NONE;
  var size = 0u;
  for (var i = run.x; i < run.y; i++) {
    let root = rootOf(heads[i]);
    heads[i] = root;
    let label = ~ids[i];
    if (atomicLoad(&labels[root]) < label) { atomicMax(&labels[root], label); }
    if (root != group) {
      if (size > 0u) { atomicAdd(&sizes[group], size); }
      group = root;
      size = 0u;
    }
    let bin = binOf(i);
    let own = isOwn(bin);
    if (own) { size++; }
    if ((!own || isExposed(bin)) && (atomicLoad(&sizes[root]) & OPEN) == 0u) { atomicOr(&sizes[root], OPEN); }
  }
  if (size > 0u) { atomicAdd(&sizes[group], size); }
}

@compute @workgroup_size(GROUP)
fn numberPart(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var found = 0u;
  for (var i = run.x; i < run.y; i++) {
    let word = groupSizes[i];
    if (word == 0u) { continue; }
    let size = word & ~OPEN;
    if (word != size) {
      let at = atomicAdd(&tally.open, 1u);
      openGroups[at] = vec2u(size, ~groupLabels[i]);
      numbers[i] = OPEN | (domain.firstOpen + at);
      continue;
    }
    found++;
    numbers[i] = NONE;
    if (size < search.minimum) { continue; }
    let at = atomicAdd(&tally.large, 1u);
    atomicAdd(&tally.members, size);
    numbers[i] = domain.firstNumber + at;
    groups[at] = vec2u(size, ~groupLabels[i]);
  }
  if (found > 0u) { atomicAdd(&tally.groups, found); }
}

@compute @workgroup_size(GROUP)
fn place(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= search.count) { return; }
  let slot = slots[i] - chunk.first;
  if (slot < chunk.count && isOwn(binOf(i))) { placed[slot] = numbers[heads[i]]; }
}

@compute @workgroup_size(GROUP)
fn keep(invocation: Invocation) {
  let run = runOf(invocation, search.count);
  var wanted = 0u;
  for (var i = run.x; i < run.y; i++) {
    if (!isOwn(binOf(i))) { wanted |= 1u << (i - run.x); }
  }
  if (wanted == 0u) { return; }
  var at = atomicAdd(&tally.kept, countOneBits(wanted));
  for (; wanted != 0u; wanted &= wanted - 1u) {
    let i = run.x + firstTrailingBit(wanted);
    kept[at] = vec2u(slots[i], numbers[heads[i]] & ~OPEN);
    at++;
  }
}

@compute @workgroup_size(GROUP)
fn meet(invocation: Invocation) {
  let k = flatIndex(invocation, GROUP);
  if (k >= arrayLength(&around)) { return; }
  let slot = around[k].x - chunk.first;
  if (slot < chunk.count) { met[k] = vec2u(bySlot[slot] & ~OPEN, around[k].y); }
}

// An open group, of what stands by slot; NONE is none.
fn openOf(word: u32) -> u32 {
  return select(NONE, word & ~OPEN, word != NONE && (word & OPEN) != 0u);
}

@compute @workgroup_size(GROUP)
fn resolve(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= chunk.count) { return; }
  let open = openOf(bySlot[i]);
  if (open != NONE) { bySlot[i] = outcome[open]; }
}

@compute @workgroup_size(GROUP)
fn resolveLabels(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= chunk.count) { return; }
  let open = openOf(bySlot[i]);
  if (open != NONE) { labelBySlot[i] = outcome[open]; }
}

@compute @workgroup_size(GROUP)
fn fastest(invocation: Invocation) {
  let run = runOf(invocation, chunk.count);
  var speed = 0u;
  for (var k = 3u * run.x; k < 3u * run.y; k++) { speed = max(speed, velocityBits[k] & 0x7fffffffu); }
  if (atomicLoad(&greatest) < speed) { atomicMax(&greatest, speed); }
}
