// Direct sum for the fewest targets: a workgroup has one, and each of its invocations a slice of the sources. Where a
// workgroup would otherwise be mostly idle, this does as many times less. Of the shapes that share out the sources
// (lib/force-split.wgsl), with GROUP slices to a layer.
//#import "lib/force-split.wgsl"
//#import "../lib/double-single.wgsl"
//#expects GROUP, SLICE, noSums, withPair

@compute @workgroup_size(GROUP)
fn sum(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
  pairZero = job.zero;
  let end = endSlot();
  let slot = job.firstTarget + w.x;
  let first = sourceRange(w.y).x + l * SLICE;
  if (first >= job.endSource) { return; }
  let here = bodyAt(slot, end);
  let last = min(first + SLICE, job.endSource);
  var sums = noSums();
  for (var j = first; j < last; j++) { sums = withPair(sums, here, sources[j]); }
  folded(0u, sums, slot, end, first);
}
