// Moves the particles of a window whose slots lie in the same window of the other half as soon as their slots are found,
// for a window of particles and a slab of cells at a time: nearly all of them, as few leave their place by much between two
// orderings. The others' ranks become slots, for order-move.wgsl, and marks tell for which windows they are bound.
// As `slot` of order-sections.wgsl and a move, with half of their reads; it binds more buffers than every adapter does.
//#import "../lib/grid.wgsl"
//#import "../lib/section-part.wgsl"
//#import "order-key.wgsl"
//#expects SLOTS_A_MARK, WINDOW_SLOTS (of every window but the last), FAULTS (words before the marks), moveImage

@group(0) @binding(1) var<storage, read_write> rank: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [planes·n² + 2], scanned
@group(0) @binding(3) var<storage, read> marks: array<u32>; // [FAULTS + slots / SLOTS_A_MARK] slabs
@group(0) @binding(4) var<storage, read_write> windows: array<atomic<u32>>; // [slots / SLOTS_A_MARK]
@group(0) @binding(5) var<storage, read> velocities: array<u32>; // [slots, 3], moved as bits
@group(0) @binding(6) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(7) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(8) var<storage, read_write> newVelocities: array<u32>;
@group(0) @binding(9) var<storage, read_write> newIds: array<u32>;

const GROUP = 64u;
// Slots of an invocation, which share a mark.
const RUN = 8u;
const_assert u32(SLOTS_A_MARK) % RUN == 0u;
// Tells a slot from a rank, of which there are fewer.
const IS_SLOT = 0x80000000u;

@compute @workgroup_size(GROUP)
fn slotAndMove(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, section.slots);
  let mark = first / u32(SLOTS_A_MARK);
  if (first >= last || (marks[u32(FAULTS) + mark] & ownMark()) == 0u) { return; }
  var bound = 0u;
  for (var i = first; i < last; i++) {
    let u = positionOf(i);
    let key = keyInSlab(cellKey(baseOf(u).cell, imageOf(i)));
    let isOwn = key < keysInSlab();
    // Read by all, which is quicker on CPU adapters than by some.
    let v = vec3u(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]);
    let id = ids[i];
    let before = rank[i];
    let found = cellStart[select(0u, key, isOwn)] + before;
    let slot = found - section.firstSlot;
    if (isOwn && slot < section.slots) {
      newIds[slot] = id;
      newPositions[3u * slot] = u.x;
      newPositions[3u * slot + 1u] = u.y;
      newPositions[3u * slot + 2u] = u.z;
      newVelocities[3u * slot] = v.x;
      newVelocities[3u * slot + 1u] = v.y;
      newVelocities[3u * slot + 2u] = v.z;
      moveImage(i, slot);
    }
    if (isOwn && slot >= section.slots) {
      rank[i] = found | IS_SLOT;
      bound |= 1u << (found / u32(WINDOW_SLOTS) % 32u);
    }
  }
  if (bound != 0u) { atomicOr(&windows[mark], bound); }
}
