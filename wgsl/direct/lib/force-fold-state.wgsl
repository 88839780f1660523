// How slice sums become totals, in pairs: STRETCH slices in their order make a stretch, from zero, and stretches in their
// order the total. So few targets keep many invocations busy, which take a stretch each (force-fold.wgsl), and where an
// invocation has all of them (force-whole.wgsl) the order is the same.
//#import "force-job.wgsl"
//#expects Totals, Force, CARRIED (whether there is anything to begin with or to hand on), totalsOf, noTotals
//#expects withStretch, forceOf

struct Fold {
  total: Totals, // over stretches that are complete
  stretch: Totals, // over the slices since
}

@group(0) @binding(5) var<storage, read_write> result: array<Force>;
@group(0) @binding(6) var<storage, read_write> state: array<Fold>;

// What a slot has before this dispatch.
fn foldBefore(slot: u32, end: u32) -> Fold {
  if (CARRIED && slot < end) {
    if (startsFrom() == FROM_STATE) { return state[slot - part().firstTarget]; }
    if (startsFrom() == FROM_RESULT) { return Fold(totalsOf(result[slot]), noTotals()); }
  }
  return Fold(noTotals(), noTotals());
}

// With the stretch that now ends, or goes on.
fn withSum(fold: Fold, stretch: Totals, isComplete: bool) -> Fold {
  if (isComplete) { return Fold(withStretch(fold.total, stretch), noTotals()); }
  return Fold(fold.total, stretch);
}

fn endFold(fold: Fold, slot: u32, end: u32) {
  if (slot >= end) { return; }
  if (CARRIED && !finishes()) {
    state[slot - part().firstTarget] = fold;
    return;
  }
  result[slot] = forceOf(withStretch(fold.total, fold.stretch));
}
