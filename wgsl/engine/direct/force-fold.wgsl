// Folds the slice sums of lib/force-split.wgsl into totals. A workgroup takes WIDTH targets. On GPUs, which few targets
// leave idle, LANES invocations share a target, a stretch of slices each at a time, and the first of them adds up the
// stretches; on processors, to which workgroup memory and barriers are dear, an invocation has a target to itself. The bits
// are the same.
//#import "lib/force-fold-state.wgsl"
//#import "../../lib/double-single.wgsl"
//#expects SLICE, STRETCH (slices), WIDTH, LANES, SHARED (more lanes than one)

@group(0) @binding(7) var<storage, read> slices: array<Sums>; // by slice, then slot
//#if SHARED
var<workgroup> sums: array<Totals, WIDTH * LANES>; // [LANES, WIDTH], of stretches
//#end

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
    let stop = max(start, min((mine + 1u) * STRETCH, endSlice));
    var before = Totals();
    if (start == firstSlice) { before = fold.stretch; }
    let sum = overSlices(before, column, width, start - firstSlice, stop - firstSlice);
//#if SHARED
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
//#end
    if (!SHARED) { fold = withSum(fold, sum, (stretch + 1u) * STRETCH <= endSlice); }
  }
  if (lane == 0u) { endFold(fold, slot, end); }
}
