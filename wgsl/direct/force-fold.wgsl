// Folds the slice sums of lib/force-split.wgsl into totals, an invocation a target: for processors, to which workgroup
// memory and barriers are dear. force-fold-lanes.wgsl does it for GPUs, with the same bits.
//#import "lib/force-fold-slices.wgsl"
//#import "lib/force-fold-state.wgsl"
//#import "../lib/double-single.wgsl"
//#expects SLICE, STRETCH (slices), WIDTH

@compute @workgroup_size(WIDTH)
fn foldSlices(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  let firstTarget = part().firstTarget;
  let slot = firstTarget + w.x * WIDTH + l;
  if (slot >= end) { return; }
  let width = part().endTarget - firstTarget;
  let firstSlice = part().firstSource / SLICE;
  let endSlice = (part().endSource + SLICE - 1u) / SLICE;
  var fold = foldBefore(slot, end);
  var start = firstSlice;
  while (start < endSlice) {
    let endOfStretch = (start / STRETCH + 1u) * STRETCH;
    let stop = min(endOfStretch, endSlice);
    let sum = overSlices(fold.stretch, slot - firstTarget, width, start - firstSlice, stop - firstSlice);
    fold = withSum(fold, sum, endOfStretch <= endSlice);
    start = stop;
  }
  endFold(fold, slot, end);
}
