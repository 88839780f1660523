// LENGTH + 1 complex numbers to real rows of 2·LENGTH, not normalised: the inverse of fft-real-forward.wgsl,
//   Z_k = (X_k + X*_{L−k}) + i w^{−k} (X_k − X*_{L−k}),
// two rows of the last stage at a time.
//#import "../../../lib/grid.wgsl"
//#import "fft-stages.wgsl"
//#expects GROUP, placeOf, skipped, THREADS, RADIX_C, loadPoint, LENGTH

@compute @workgroup_size(GROUP)
fn realInverse(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  for (var turn = 0u; turn < MIRROR_TURNS; turn++) {
    let f = place.thread + turn * THREADS;
    if (MIRROR_TURNS * THREADS > ROW_COUNT / 2u + 1u && f > ROW_COUNT / 2u) {
      break;
    }
    var x: Points;
    var y: Points; // the mirrored row, backwards
    for (var c = 0u; c < RADIX_C; c++) {
      let k = f + c * ROW_COUNT;
      let a = loadPoint(place, k);
      let b = loadPoint(place, LENGTH - k) * vec2f(1.0, -1.0);
      let even = a + b;
      let odd = -turned(times(a - b, twiddles[k] * vec2f(1.0, -1.0)));
      // Real and imaginary part exchanged for the inverse stages.
      x[c] = (even + odd).yx;
      y[RADIX_C - 1u - c] = ((even - odd) * vec2f(1.0, -1.0)).yx;
    }
    inverseLast(place, f, x);
    if (f > 0u && 2u * f < ROW_COUNT) {
      inverseLast(place, ROW_COUNT - f, y);
    }
  }
  inverseMiddle(place);
  inverseFirst(place);
}
