// Folds the slice sums of lib/force-split.wgsl into totals: a workgroup takes WIDTH targets, and LANES invocations for
// each, a stretch of slices at a time; the first of them adds up the stretches.
//#import "lib/force-fold-state.wgsl"
//#import "../lib/double-single.wgsl"
//#expects Sums, Totals, SLICE, STRETCH (slices), WIDTH, LANES, withSlice, noTotals

@group(0) @binding(7) var<storage, read> slices: array<Sums>; // by slice, then slot

// [LANES, WIDTH] sums of stretches.
var<workgroup> sums: array<Totals, WIDTH * LANES>;

// The sums of slices [start, stop), from what there is of them already.
fn overSlices(before: Totals, column: u32, width: u32, start: u32, stop: u32) -> Totals {
  var sum = before;
  var at = start * width + column;
  var done = 0u;
  for (var turn = 0u; turn < STRETCH / 4u; turn++) { // four reads on their way at a time
    if (start + done + 4u > stop) { break; }
    let p = slices[at];
    let q = slices[at + width];
    let r = slices[at + 2u * width];
    let s = slices[at + 3u * width];
    sum = withSlice(withSlice(withSlice(withSlice(sum, p), q), r), s);
    at += 4u * width;
    done += 4u;
  }
  for (var rest = 0u; rest < 3u; rest++) {
    if (start + done >= stop) { break; }
    sum = withSlice(sum, slices[at]);
    at += width;
    done += 1u;
  }
  return sum;
}

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
    if (LANES == 1u) {
      fold = withSum(fold, sum, (mine + 1u) * STRETCH <= endSlice);
      continue;
    }
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
