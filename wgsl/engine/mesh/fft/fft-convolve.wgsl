// Forward transform of complex lines, product with a transfer function, inverse transform (not normalised), in one
// pass: the last forward and the first inverse stage meet in registers.
//#import "../../../lib/grid.wgsl"
//#import "fft-stages.wgsl"
//#expects GROUP, placeOf, skipped, prepareTransfer, THREADS, RADIX_C, transferFactor, transferred

@compute @workgroup_size(GROUP)
fn convolve(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  forwardFirst(place);
  forwardMiddle(place);
  prepareTransfer(place);
  for (var turn = 0u; turn < LAST_TURNS; turn++) {
    let f = place.thread + turn * THREADS;
    if (LAST_TURNS * THREADS > ROW_COUNT && f >= ROW_COUNT) {
      break;
    }
    var x = forwardLast(place, f);
    for (var c = 0u; c < RADIX_C; c++) {
      let k = f + c * ROW_COUNT;
      x[c] = transferred(transferFactor(place, k), k, x[c]).yx;
    }
    inverseLast(place, f, x);
  }
  inverseMiddle(place);
  inverseFirst(place);
}
