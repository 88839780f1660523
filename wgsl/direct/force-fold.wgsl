// Folds the slice sums of lib/force-split.wgsl into totals, in the order of the slices, an invocation a target.
//#import "lib/force-whole.wgsl"
//#import "../lib/double-single.wgsl"
//#expects Sums, GROUP, SLICE, withSlice

@group(0) @binding(7) var<storage, read> slices: array<Sums>; // by slice, then slot

@compute @workgroup_size(GROUP)
fn foldSlices(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  let slot = firstSlot(w.x, l);
  if (slot >= end) { return; }
  let width = part().endTarget - part().firstTarget;
  let all = (part().endSource - part().firstSource + SLICE - 1u) / SLICE;
  var fold = foldBefore(slot, end);
  var at = slot - part().firstTarget;
  var slice = 0u;
  for (; slice + 4u <= all; slice += 4u) { // four reads on their way at a time
    let p = slices[at];
    let q = slices[at + width];
    let r = slices[at + 2u * width];
    let s = slices[at + 3u * width];
    fold = withSlice(withSlice(withSlice(withSlice(fold, p), q), r), s);
    at += 4u * width;
  }
  for (; slice < all; slice++) {
    fold = withSlice(fold, slices[at]);
    at += width;
  }
  endFold(fold, slot, end);
}
