// Moves the particles of a window whose slots lie in the same window of the other half as soon as their slots are found,
// for a window of particles and a slab of cells at a time: nearly all of them, as few leave their place by much between two
// orderings. The others' ranks become slots, for order-move.wgsl, and marks tell for which windows they are bound.
// As `slot` of order-sections.wgsl and a move, with half of their reads; it binds more buffers than every adapter does.
//#import "../lib/section-part.wgsl"
//#import "order-key.wgsl"
//#import "order-marks.wgsl"
//#import "order-particle.wgsl"
//#expects WINDOW_SLOTS (of every window but the last), FAULTS (words before the marks), moveImage

@group(0) @binding(1) var<storage, read_write> rank: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [planes·n² + 2], scanned
@group(0) @binding(3) var<storage, read> marks: array<u32>; // [FAULTS + slots / SLOTS_A_MARK] slabs
@group(0) @binding(4) var<storage, read_write> windows: array<atomic<u32>>; // [slots / SLOTS_A_MARK]
@group(0) @binding(5) var<storage, read> velocities: array<u32>; // [slots, 3], moved as bits
@group(0) @binding(6) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(7) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(8) var<storage, read_write> newVelocities: array<u32>;
@group(0) @binding(9) var<storage, read_write> newIds: array<u32>;

fn slotAndMoveOfMark(mark: u32, local: u32) {
  let slots = slotsOfMark(mark, local, section.slots);
  if (slots.x >= slots.y || (marks[u32(FAULTS) + mark] & ownMark()) == 0u) { return; }
  var bound = 0u;
  for (var first = slots.x; first < slots.y; first += STRIDE) {
    for (var i = first; i < endOfRun(first, slots.y); i += LANES) {
      // Read by all, which is quicker on CPU adapters than by some.
      let particle = particleIn(i);
      let key = keyInSlab(cellKey(baseOf(particle.position).cell, imageOf(i)));
      let isOwn = key < keysInSlab();
      let before = rank[i];
      let found = cellStart[select(0u, key, isOwn)] + before;
      let slot = found - section.firstSlot;
      if (isOwn && slot < section.slots) {
        putParticle(slot, particle);
        moveImage(i, slot);
      }
      if (isOwn && slot >= section.slots) {
        rank[i] = found | IS_SLOT;
        bound |= 1u << (found / u32(WINDOW_SLOTS) % 32u);
      }
    }
  }
  if (bound != 0u) { atomicOr(&windows[mark], bound); }
}

@compute @workgroup_size(GROUP)
fn slotAndMove(invocation: Invocation) {
  let first = firstMark(invocation);
  for (var mark = first; mark < first + MARKS; mark++) { slotAndMoveOfMark(mark, invocation.local); }
}
