// Direct sum, no unrolling: one target per invocation, sources read one after the other from global memory
// (Fujiwara & Nakasato 2009, figure 2). Sources in slices of SLICE: float32 within a slice, pairs across slices.
// Needs lib/force-job.wgsl, lib/force-result.wgsl, and the constants SLICE and GROUP.

@compute @workgroup_size(GROUP)
fn sum(@builtin(global_invocation_id) id: vec3u) {
  pairZero = job.zero;
  let end = endSlot();
  let slot = job.firstTarget + id.x;
  if (slot >= end) { return; }
  let here = bodyAt(slot, end);
  var totals = totalsBefore(slot);
  for (var first = job.firstSource; first < job.endSource; first += SLICE) {
    let last = min(first + SLICE, job.endSource);
    var sums = noSums();
    for (var j = first; j < last; j++) { sums = withPull(sums, here, sources[j]); }
    totals = withSlice(totals, sums);
  }
  setTotals(slot, totals);
}
