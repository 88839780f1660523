// The shapes in which the sources are shared out over layers of workgroups, because targets are few, LAYER slices each:
// slice sums are written down, and force-fold.wgsl folds them in the order of the slices.
//#import "force-sums.wgsl"
//#expects LAYER, SLICE, GROUP, TARGETS, ROUND, ROW (workgroups of a round in a row)

alias Fold = u32; // nothing to carry

// As in force-whole.wgsl: what a layer has.
const SLICES = LAYER;
const STRETCHES = 1u;

@group(0) @binding(5) var<storage, read_write> slices: array<Sums>; // by slice, then slot

// A workgroup's targets and layer. A round of few targets has many layers, one of many has few: its workgroups are numbered.
fn placeOf(w: vec3u) -> vec2u {
  if (!ROUND) { return w.xy; }
  let across = max(1u, (part().endTarget - part().firstTarget + GROUP * TARGETS - 1u) / (GROUP * TARGETS));
  let number = w.y * ROW + w.x;
  return vec2u(number % across, number / across);
}

// First and last (exclusive) source for a workgroup's layer.
fn sourceRange(layer: u32) -> vec2u {
  let first = part().firstSource + layer * LAYER * SLICE;
  return vec2u(first, min(first + LAYER * SLICE, part().endSource));
}

fn foldBefore(slot: u32, end: u32) -> Fold {
  return 0u;
}

fn folded(fold: Fold, sums: Sums, slot: u32, end: u32, first: u32) -> Fold {
  let slice = (first - part().firstSource) / SLICE;
  let width = part().endTarget - part().firstTarget;
  if (slot < end) { slices[slice * width + slot - part().firstTarget] = sums; }
  return fold;
}

// Stretches are the fold's affair.
fn endOfStretch(first: u32) -> u32 {
  return part().endSource;
}

fn stretched(fold: Fold, next: u32) -> Fold {
  return fold;
}

fn endFold(fold: Fold, slot: u32, end: u32) {}
