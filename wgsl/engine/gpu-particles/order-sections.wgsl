// Counting particles into cells and finding their slots, for a chunk of particles and a slab of cells at a time. Marks tell
// which slabs the particles of each range of slots are bound for; all other pairs of ranges and slabs are passed over.
//   count        every particle of the slab
//   countStrays  those that the update, which counts a slab's own, found bound for another
//   slot         place → slot, and marks for the chunks that the slots lie in
//#import "../../lib/section.wgsl"
//#import "order-key.wgsl"
//#import "order-marks.wgsl"
//#expects CHUNK_SLOTS (of every chunk but the last), FAULTS (words before the marks)

@group(0) @binding(1) var<storage, read_write> places: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>; // [planes·n² + 2]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // the same, scanned
@group(0) @binding(3) var<storage, read> images: array<u32>; // [slots], isolated
@group(0) @binding(4) var<storage, read_write> marks: array<atomic<u32>>; // [FAULTS + slots / SLOTS_A_MARK] slabs
@group(0) @binding(5) var<storage, read_write> chunks: array<atomic<u32>>; // [slots / SLOTS_A_MARK]

// A place that there isn't: the update has yet to have the particle counted.
const STRAY = 0xffffffffu;

fn countOfMark(mark: u32, local: u32) {
  let slots = slotsOfMark(mark, local, section.slots);
  var found = false;
  for (var first = slots.x; first < slots.y; first += STRIDE) {
    for (var i = first; i < endOfRun(first, slots.y); i += LANES) {
      let key = keyInSlab(keyOf(i));
      if (key < keysInSlab()) {
        places[i] = atomicAdd(&counts[key], 1u);
        found = true;
      }
    }
  }
  if (found) { atomicOr(&marks[u32(FAULTS) + mark], ownMark()); }
}

@compute @workgroup_size(GROUP)
fn count(invocation: Invocation) {
  let first = firstMark(invocation);
  for (var mark = first; mark < first + MARKS; mark++) { countOfMark(mark, invocation.local); }
}

fn countStraysOfMark(mark: u32, local: u32) {
  let slots = slotsOfMark(mark, local, section.slots);
  let wanted = ownMark() | STRAYED;
  if (slots.x >= slots.y || (atomicLoad(&marks[u32(FAULTS) + mark]) & wanted) != wanted) { return; }
  // Where all have come from the slab, those that are bound for it are no strays.
  let own = slotsOfSection(0u);
  if (slots.x >= own.x && slots.y <= own.y) { return; }
  for (var first = slots.x; first < slots.y; first += STRIDE) {
    for (var i = first; i < endOfRun(first, slots.y); i += LANES) {
      if (places[i] != STRAY) { continue; }
      let key = keyInSlab(keyOf(i));
      if (key < keysInSlab()) { places[i] = atomicAdd(&counts[key], 1u); }
    }
  }
}

@compute @workgroup_size(GROUP)
fn countStrays(invocation: Invocation) {
  let first = firstMark(invocation);
  for (var mark = first; mark < first + MARKS; mark++) { countStraysOfMark(mark, invocation.local); }
}

fn slotOfMark(mark: u32, local: u32) {
  let slots = slotsOfMark(mark, local, section.slots);
  if (slots.x >= slots.y || (atomicLoad(&marks[u32(FAULTS) + mark]) & ownMark()) == 0u) { return; }
  var bound = 0u;
  for (var first = slots.x; first < slots.y; first += STRIDE) {
    for (var i = first; i < endOfRun(first, slots.y); i += LANES) {
      let key = keyInSlab(keyOf(i));
      let isOwn = key < keysInSlab();
      // Read and written by all, which is quicker on CPU adapters than by some.
      let before = places[i];
      let found = cellStart[select(0u, key, isOwn)] + before;
      places[i] = select(before, found | IS_SLOT, isOwn);
      bound |= select(0u, 1u << (found / u32(CHUNK_SLOTS) % 32u), isOwn);
    }
  }
  atomicOr(&chunks[mark], bound);
}

@compute @workgroup_size(GROUP)
fn slot(invocation: Invocation) {
  let first = firstMark(invocation);
  for (var mark = first; mark < first + MARKS; mark++) { slotOfMark(mark, invocation.local); }
}
