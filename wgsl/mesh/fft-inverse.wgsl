// Inverse transform of complex lines, not normalised.
//#import "fft-stages.wgsl"
//#expects GROUP, placeOf, skipped, THREADS, RADIX_C, loadPoint

@compute @workgroup_size(GROUP)
fn inverse(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let place = placeOf(workgroup, workgroups, local);
  if (skipped(place)) {
    return;
  }
  for (var f = place.thread; f < ROW_COUNT; f += THREADS) {
    var x: Points;
    for (var c = 0u; c < RADIX_C; c++) {
      x[c] = loadPoint(place, f + c * ROW_COUNT).yx;
    }
    inverseLast(place, f, x);
  }
  inverseMiddle(place);
  inverseFirst(place);
}
