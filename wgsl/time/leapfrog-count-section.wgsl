// Counts a particle that the update has moved into its new cell, for the next ordering, as far as that is one of the
// slab's; for others the ordering counts it (particles/order-sections.wgsl), and a mark says which slab wants it.
//#import "../lib/section-part.wgsl"
//#expects rank, cellStart, health, FAULTS, SLOTS_A_MARK

const STRAY = 0xffffffffu; // a rank that there isn't

var<private> marks: u32;

fn countInto(slot: u32, key: u32) {
  let own = keyInSlab(key);
  var place = STRAY;
  if (own < keysInSlab()) {
    place = atomicAdd(&cellStart[own], 1u);
  }
  rank[slot] = place;
  marks |= slabMark(key) | select(0u, STRAYED, place == STRAY);
}

// After the last of an invocation's slots, which share a mark.
fn leaveMark(slot: u32) {
  if (marks != 0u) { atomicOr(&health[u32(FAULTS) + slot / u32(SLOTS_A_MARK)], marks); }
}
