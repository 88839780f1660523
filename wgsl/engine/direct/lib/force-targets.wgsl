// The TARGETS targets of an invocation side by side: what a source costs to read is shared.
//#import "force-sums.wgsl"
//#expects Fold, TARGETS, GROUP, foldBefore, folded, stretched, endFold

alias Here = array<Body, TARGETS>;
alias Slice = array<Sums, TARGETS>;
alias Folds = array<Fold, TARGETS>;

fn bodiesFrom(slot: u32, end: u32) -> Here {
  var here: Here;
  for (var t = 0u; t < TARGETS; t++) { here[t] = bodyAt(slot + t * GROUP, end); }
  return here;
}

fn withPairs(slice: Slice, here: Here, there: Body) -> Slice {
  var next: Slice;
  for (var t = 0u; t < TARGETS; t++) { next[t] = withPair(slice[t], here[t], there); }
  return next;
}

// TARGETS, which compilers don't know: what is seldom done isn't unrolled.
fn targetsInTurn() -> u32 {
  if (TARGETS == 1u) { return 1u; }
  return TARGETS + job.zero;
}

fn foldsBefore(slot: u32, end: u32) -> Folds {
  var folds: Folds;
  for (var t = 0u; t < targetsInTurn(); t++) { folds[t] = foldBefore(slot + t * GROUP, end); }
  return folds;
}

// The slice begins with source `first`.
fn withFolded(folds: Folds, slice: Slice, slot: u32, end: u32, first: u32) -> Folds {
  var next: Folds;
  for (var t = 0u; t < TARGETS; t++) { next[t] = folded(folds[t], slice[t], slot + t * GROUP, end, first); }
  return next;
}

// A stretch ends, or breaks off, before source `next`.
fn withStretched(folds: Folds, next: u32) -> Folds {
  var after: Folds;
  for (var t = 0u; t < targetsInTurn(); t++) { after[t] = stretched(folds[t], next); }
  return after;
}

fn endFolds(folds: Folds, slot: u32, end: u32) {
  for (var t = 0u; t < targetsInTurn(); t++) { endFold(folds[t], slot + t * GROUP, end); }
}
