// The targets of an invocation, TARGETS = 1, 2 or 4 of them, side by side: what a source costs to read is shared.
//#import "force-sums.wgsl"
//#expects Fold, TARGETS, GROUP, foldBefore, folded, stretched, endFold

struct Here {
  a: Body,
  b: Body,
  c: Body,
  d: Body,
}

struct Slice {
  a: Sums,
  b: Sums,
  c: Sums,
  d: Sums,
}

struct Folds {
  a: Fold,
  b: Fold,
  c: Fold,
  d: Fold,
}

fn bodiesFrom(slot: u32, end: u32) -> Here {
  var here: Here;
  here.a = bodyAt(slot, end);
  if (TARGETS >= 2u) { here.b = bodyAt(slot + GROUP, end); }
  if (TARGETS >= 4u) {
    here.c = bodyAt(slot + 2u * GROUP, end);
    here.d = bodyAt(slot + 3u * GROUP, end);
  }
  return here;
}

fn withPairs(slice: Slice, here: Here, there: Body) -> Slice {
  var next = slice;
  next.a = withPair(slice.a, here.a, there);
  if (TARGETS >= 2u) { next.b = withPair(slice.b, here.b, there); }
  if (TARGETS >= 4u) {
    next.c = withPair(slice.c, here.c, there);
    next.d = withPair(slice.d, here.d, there);
  }
  return next;
}

fn foldsBefore(slot: u32, end: u32) -> Folds {
  var folds: Folds;
  folds.a = foldBefore(slot, end);
  if (TARGETS >= 2u) { folds.b = foldBefore(slot + GROUP, end); }
  if (TARGETS >= 4u) {
    folds.c = foldBefore(slot + 2u * GROUP, end);
    folds.d = foldBefore(slot + 3u * GROUP, end);
  }
  return folds;
}

// The slice begins with source `first`.
fn withFolded(folds: Folds, slice: Slice, slot: u32, end: u32, first: u32) -> Folds {
  var next = folds;
  next.a = folded(folds.a, slice.a, slot, end, first);
  if (TARGETS >= 2u) { next.b = folded(folds.b, slice.b, slot + GROUP, end, first); }
  if (TARGETS >= 4u) {
    next.c = folded(folds.c, slice.c, slot + 2u * GROUP, end, first);
    next.d = folded(folds.d, slice.d, slot + 3u * GROUP, end, first);
  }
  return next;
}

// A stretch ends, or breaks off, before source `next`.
fn withStretched(folds: Folds, next: u32) -> Folds {
  var after = folds;
  after.a = stretched(folds.a, next);
  if (TARGETS >= 2u) { after.b = stretched(folds.b, next); }
  if (TARGETS >= 4u) {
    after.c = stretched(folds.c, next);
    after.d = stretched(folds.d, next);
  }
  return after;
}

fn endFolds(folds: Folds, slot: u32, end: u32) {
  endFold(folds.a, slot, end);
  if (TARGETS >= 2u) { endFold(folds.b, slot + GROUP, end); }
  if (TARGETS >= 4u) {
    endFold(folds.c, slot + 2u * GROUP, end);
    endFold(folds.d, slot + 3u * GROUP, end);
  }
}
