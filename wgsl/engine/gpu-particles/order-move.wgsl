// Moves the particles of a chunk to their slots in the same chunk or another: the last part of ordering in chunks. Box
// images by themselves, for adapters that bind 8 storage buffers at a time.
//#import "order-marks.wgsl"
//#import "order-particle.wgsl"
//#expects CHUNK_SLOTS, IMAGES (or all else)

struct Move {
  slots: u32, // of the chunk that the particles are in
  to: u32, // first slot of the one that they go to
  toSlots: u32, // of that
}

@group(0) @binding(0) var<uniform> moved: Move;
@group(0) @binding(1) var<storage, read> slots: array<u32>; // [slots] where they go, IS_SLOT and the slot; places of those that are there
@group(0) @binding(2) var<storage, read> chunks: array<u32>; // [slots / SLOTS_A_MARK] marks
@group(0) @binding(3) var<storage, read> positions: array<u32>; // [slots, 3]
@group(0) @binding(4) var<storage, read> velocities: array<u32>; // [slots, 3], moved as bits
@group(0) @binding(5) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(6) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(7) var<storage, read_write> newVelocities: array<u32>;
@group(0) @binding(8) var<storage, read_write> newIds: array<u32>;

@group(0) @binding(3) var<storage, read> images: array<u32>; // [slots], isolated
@group(0) @binding(4) var<storage, read_write> newImages: array<u32>;

// Whether a particle of a mark's slots goes to this chunk.
fn goesThere(mark: u32) -> bool {
  return (chunks[mark] & (1u << (moved.to / u32(CHUNK_SLOTS) % 32u))) != 0u;
}

// Few of the marked slots' particles go there: most runs are passed over.
//#if IMAGES
fn moveSlot(i: u32, slot: u32) {
  let image = images[i];
  if (slot < moved.toSlots) { newImages[slot] = image; }
}
//#end
//#if !IMAGES
fn moveSlot(i: u32, slot: u32) {
  if (slot < moved.toSlots) { putParticle(slot, particleIn(i)); }
}
//#end

fn moveOfMark(mark: u32, local: u32) {
  let range = slotsOfMark(mark, local, moved.slots);
  if (range.x >= range.y || !goesThere(mark)) { return; }
  for (var first = range.x; first < range.y; first += STRIDE) {
    for (var i = first; i < endOfRun(first, range.y); i += LANES) { moveSlot(i, (slots[i] ^ IS_SLOT) - moved.to); }
  }
}

@compute @workgroup_size(GROUP)
fn moveMarked(invocation: Invocation) {
  let first = firstMark(invocation);
  for (var mark = first; mark < first + MARKS; mark++) { moveOfMark(mark, invocation.local); }
}
