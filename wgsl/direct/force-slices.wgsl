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
  let slot = part().firstTarget + w.x;
  let first = sourceRange(w.y).x + l * SLICE;
  if (slot >= end || first >= part().endSource) { return; }
  let here = bodyAt(slot, end);
  let size = min(SLICE, part().endSource - first);
  var sums = noSums();
  for (var k = 0u; k < SLICE; k++) { // to a constant: see force.wgsl
    sums = withPair(sums, here, sources[first + k]);
    if (k + 1u >= size) { break; }
  }
  folded(0u, sums, slot, end, first);
}
