// The shapes in which an invocation sums over all sources of the dispatch: slice sums join the totals at once.
//#import "force-fold-state.wgsl"
//#expects SLICE, STRETCH (slices)

const STRETCH_SOURCES = STRETCH * SLICE;

// Slices of a stretch and stretches of a dispatch at most: constants for loops to go to.
const SLICES = STRETCH;
const STRETCHES = 0xffffffffu / STRETCH_SOURCES + 1u;

fn placeOf(w: vec3u) -> vec2u {
  return w.xy;
}

// First and last (exclusive) source for a workgroup's layer: there is one.
fn sourceRange(layer: u32) -> vec2u {
  return vec2u(part().firstSource, part().endSource);
}

// Where the stretch of source `first` ends.
fn endOfStretch(first: u32) -> u32 {
  return (first / STRETCH_SOURCES + 1u) * STRETCH_SOURCES;
}

fn folded(fold: Fold, sums: Sums, slot: u32, end: u32, first: u32) -> Fold {
  return Fold(fold.total, withSlice(fold.stretch, sums));
}

// With the stretch that ends, or breaks off, before source `next`.
fn stretched(fold: Fold, next: u32) -> Fold {
  return withSum(fold, fold.stretch, next % STRETCH_SOURCES == 0u);
}
