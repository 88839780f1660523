// Forward transform of complex lines.
//#import "../lib/grid.wgsl"
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
  for (var f = place.thread; f < ROW_COUNT; f += THREADS) {
    let x = forwardLast(place, f);
    for (var c = 0u; c < RADIX_C; c++) {
      storePoint(place, f + c * ROW_COUNT, x[c]);
    }
  }
}
