// As force-fold.wgsl, for GPUs, which few targets leave idle: a workgroup takes WIDTH targets, and LANES invocations for
// each, a stretch of slices at a time; the first of them adds up the stretches.
//#import "lib/force-fold-slices.wgsl"
//#import "lib/force-fold-state.wgsl"
//#import "../lib/double-single.wgsl"
//#expects Totals, SLICE, STRETCH (slices), WIDTH, LANES, noTotals

// [LANES, WIDTH] sums of stretches.
var<workgroup> sums: array<Totals, WIDTH * LANES>;

@compute @workgroup_size(WIDTH * LANES)
fn foldSlices(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  let firstTarget = part().firstTarget;
  let first = firstTarget + w.x * WIDTH;
  if (first >= end) { return; }
  let slot = first + l % WIDTH;
  let lane = l / WIDTH;
  let width = part().endTarget - firstTarget;
  let column = min(slot, end - 1u) - firstTarget;
  let firstSlice = part().firstSource / SLICE;
  let endSlice = (part().endSource + SLICE - 1u) / SLICE;
  var fold = foldBefore(slot, end);
  for (var stretch = firstSlice / STRETCH; stretch * STRETCH < endSlice; stretch += LANES) {
    let mine = stretch + lane;
    let start = max(mine * STRETCH, firstSlice);
    let stop = min((mine + 1u) * STRETCH, endSlice);
    var before = noTotals();
    if (start == firstSlice) { before = fold.stretch; }
    let sum = overSlices(before, column, width, start - firstSlice, max(start, stop) - firstSlice);
    sums[l] = sum;
    workgroupBarrier();
    if (lane == 0u) {
      for (var k = 0u; k < LANES; k++) {
        let next = stretch + k;
        if (next * STRETCH >= endSlice) { break; }
        fold = withSum(fold, sums[k * WIDTH + l], (next + 1u) * STRETCH <= endSlice);
      }
    }
    workgroupBarrier();
  }
  if (lane == 0u) { endFold(fold, slot, end); }
}
