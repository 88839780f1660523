// Counts a particle that the update has moved into its new cell, for the next ordering.
//#expects rank, cellStart

fn countInto(slot: u32, key: u32) {
  rank[slot] = atomicAdd(&cellStart[key], 1u);
}

fn leaveMark(slot: u32) {}
