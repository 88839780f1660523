// Slots by the marks that they share, for ordering in parts: a workgroup takes the slots of MARKS marks one after the other,
// or passes over a mark that holds nothing for it. An invocation takes RUN slots LANES apart, then those STRIDE further on.
//#import "../../lib/grid.wgsl"
//#import "../../lib/runs.wgsl"
//#expects SLOTS_A_MARK, SPREAD (threads, or 1)

const GROUP = 64u;
const MARKS = 8u; // a workgroup
const RUN = 8u;
const STRIDE = GROUP * RUN;
const_assert u32(SLOTS_A_MARK) % STRIDE == 0u;
// Tells a slot from a place, of which there are fewer.
const IS_SLOT = 0x80000000u;

// The first mark of a workgroup, counted in the chunk.
fn firstMark(invocation: Invocation) -> u32 {
  return spreadWorkgroup(invocation, SPREAD) * MARKS;
}

// The first slot of an invocation, and the end of those of the mark, in a chunk of so many.
fn slotsOfMark(mark: u32, local: u32, slots: u32) -> vec2u {
  let first = mark * u32(SLOTS_A_MARK);
  return vec2u(first + firstOfRun(local, RUN), min(first + u32(SLOTS_A_MARK), slots));
}

// The end of an invocation's slots from `first` on.
fn endOfRun(first: u32, end: u32) -> u32 {
  return min(first + RUN * LANES, end);
}
