// Real rows of 2·LENGTH numbers to LENGTH + 1 complex ones. Even and odd numbers travel as real and imaginary part
// of a complex line z; with w = e^{−2πi/(2·LENGTH)}, E = (Z_k + Z*_{L−k})/2 and O = (Z_k − Z*_{L−k})/2i,
//   X_k = E + w^k O,   X_{L−k} = (E − w^k O)*        (Numerical Recipes, 3rd edition, eq. 12.3.5).
// The last stage works on two rows at a time, f and its mirror: they hold each other's Z_{L−k}.
//#import "../../../lib/grid.wgsl"
//#import "fft-stages.wgsl"
//#expects GROUP, placeOf, skipped, THREADS, RADIX_C, storePoint, LENGTH

@compute @workgroup_size(GROUP)
fn realForward(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  forwardFirst(place);
  forwardMiddle(place);
  for (var turn = 0u; turn < MIRROR_TURNS; turn++) {
    let f = place.thread + turn * THREADS;
    if (MIRROR_TURNS * THREADS > ROW_COUNT / 2u + 1u && f > ROW_COUNT / 2u) {
      break;
    }
    let x = forwardLast(place, f);
    let y = forwardLast(place, (ROW_COUNT - f) % ROW_COUNT);
    for (var c = 0u; c < RADIX_C; c++) {
      let k = f + c * ROW_COUNT;
      let mirror = select(y[RADIX_C - 1u - c], y[(RADIX_C - c) % RADIX_C], f == 0u) * vec2f(1.0, -1.0);
      let even = 0.5 * (x[c] + mirror);
      let odd = times(0.5 * turned(x[c] - mirror), twiddles[k]);
      storePoint(place, k, even + odd);
      storePoint(place, LENGTH - k, (even - odd) * vec2f(1.0, -1.0));
    }
  }
}
