// Forward transform of complex lines.
//#import "../../../lib/grid.wgsl"
//#import "fft-stages.wgsl"
//#expects GROUP, placeOf, skipped, THREADS, RADIX_C, storePoint

@compute @workgroup_size(GROUP)
fn forward(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  forwardFirst(place);
  forwardMiddle(place);
  for (var turn = 0u; turn < LAST_TURNS; turn++) {
    let f = place.thread + turn * THREADS;
    if (LAST_TURNS * THREADS > ROW_COUNT && f >= ROW_COUNT) {
      break;
    }
    let x = forwardLast(place, f);
    for (var c = 0u; c < RADIX_C; c++) {
      storePoint(place, f + c * ROW_COUNT, x[c]);
    }
  }
}
