// How slice sums become totals, in pairs: STRETCH slices in their order make a stretch, from zero, and stretches in their
// order the total. So few targets keep many invocations busy, which take a stretch each (force-fold.wgsl), and where an
// invocation has all of them (force-whole.wgsl) the order is the same.
//#import "force-sums.wgsl"
//#expects ROUND (whether totals wait between dispatches)

struct Fold {
  total: Totals, // over stretches that are complete
  stretch: Totals, // over the slices since
}

@group(0) @binding(5) var<storage, read_write> result: array<Force>;
//#if ROUND
@group(0) @binding(6) var<storage, read_write> state: array<Fold>;
//#end

// What a slot has before this dispatch.
fn foldBefore(slot: u32, end: u32) -> Fold {
  if (slot >= end) { return Fold(); }
//#if ROUND
  if (part().firstSource > 0u) { return state[slot - part().firstTarget]; }
//#end
  if (job.added == 1u) { return Fold(totalsOf(result[slot]), Totals()); }
  return Fold();
}

// With the stretch that now ends, or goes on.
fn withSum(fold: Fold, stretch: Totals, isComplete: bool) -> Fold {
  if (isComplete) { return Fold(withStretch(fold.total, stretch), Totals()); }
  return Fold(fold.total, stretch);
}

fn endFold(fold: Fold, slot: u32, end: u32) {
  if (slot >= end) { return; }
//#if ROUND
  if (part().endSource < job.sources) {
    state[slot - part().firstTarget] = fold;
    return;
  }
//#end
  result[slot] = forceOf(withStretch(fold.total, fold.stretch));
}
