// The shapes in which an invocation sums over all sources of the dispatch: slice sums join the totals at once.
// Most jobs are one dispatch, and do without the reads and writes that a compiler would have to prepare for.
//#import "force-fold-state.wgsl"
//#expects Sums, withSlice, SLICE, STRETCH (slices)

// First and last (exclusive) source for a workgroup's layer: there is one.
fn sourceRange(layer: u32) -> vec2u {
  return vec2u(part().firstSource, part().endSource);
}

fn folded(fold: Fold, sums: Sums, slot: u32, end: u32, first: u32) -> Fold {
  return withSum(fold, withSlice(fold.stretch, sums), (first / SLICE + 1u) % STRETCH == 0u);
}
