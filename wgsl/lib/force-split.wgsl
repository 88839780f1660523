// The shapes in which the slices of the sources are shared out over workgroups, a layer each, because targets are few:
// slice sums are written down, and direct-force-fold.wgsl folds them in the order of the slices.
// Needs lib/force-job.wgsl, the Sums of an order and the constant SLICE.

alias Fold = u32; // nothing to carry

@group(0) @binding(5) var<storage, read_write> slices: array<Sums>; // by layer, then slot

// First and last (exclusive) source for a workgroup's layer.
fn sourceRange(layer: u32) -> vec2u {
  let first = job.firstSource + layer * SLICE;
  return vec2u(first, min(first + SLICE, job.endSource));
}

fn foldBefore(slot: u32, end: u32) -> Fold {
  return 0u;
}

fn folded(fold: Fold, sums: Sums, slot: u32, end: u32, layer: u32) -> Fold {
  if (slot < end) { slices[layer * (job.endTarget - job.firstTarget) + slot - job.firstTarget] = sums; }
  return fold;
}

fn endFold(fold: Fold, slot: u32, end: u32) {}
