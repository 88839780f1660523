// The shapes in which an invocation sums over all sources of the dispatch: slice sums join the totals at once.
// Most jobs are one dispatch, and do without the reads and writes that a compiler would have to prepare for.
//#import "force-job.wgsl"
//#expects Totals, Force, CARRIED (whether there is anything to begin with or to hand on), totalsOf, noTotals, Sums
//#expects withSlice, forceOf

alias Fold = Totals;

@group(0) @binding(5) var<storage, read_write> result: array<Force>;
@group(0) @binding(6) var<storage, read_write> state: array<Totals>;

// First and last (exclusive) source for a workgroup's layer: there is one.
fn sourceRange(layer: u32) -> vec2u {
  return vec2u(part().firstSource, part().endSource);
}

// Totals of a slot before this dispatch.
fn foldBefore(slot: u32, end: u32) -> Fold {
  if (CARRIED && slot < end) {
    if (startsFrom() == FROM_STATE) { return state[slot - part().firstTarget]; }
    if (startsFrom() == FROM_RESULT) { return totalsOf(result[slot]); }
  }
  return noTotals();
}

fn folded(fold: Fold, sums: Sums, slot: u32, end: u32, first: u32) -> Fold {
  return withSlice(fold, sums);
}

fn endFold(fold: Fold, slot: u32, end: u32) {
  if (slot >= end) { return; }
  if (CARRIED && !finishes()) {
    state[slot - part().firstTarget] = fold;
    return;
  }
  result[slot] = forceOf(fold);
}
