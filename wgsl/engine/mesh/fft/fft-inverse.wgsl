// Inverse transform of complex lines, not normalised.
//#import "../../../lib/grid.wgsl"
//#import "fft-stages.wgsl"
//#expects GROUP, placeOf, skipped, THREADS, RADIX_C, loadPoint

@compute @workgroup_size(GROUP)
fn inverse(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  for (var turn = 0u; turn < LAST_TURNS; turn++) {
    let f = place.thread + turn * THREADS;
    if (LAST_TURNS * THREADS > ROW_COUNT && f >= ROW_COUNT) {
      break;
    }
    var x: Points;
    for (var c = 0u; c < RADIX_C; c++) {
      x[c] = loadPoint(place, f + c * ROW_COUNT).yx;
    }
    inverseLast(place, f, x);
  }
  inverseMiddle(place);
  inverseFirst(place);
}
