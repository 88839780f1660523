// LENGTH + 1 complex numbers to real rows of 2·LENGTH, not normalised, in straight code: fft-real-inverse.wgsl has the
// formulae.
//#import "fft-butterflies.wgsl"
//#import "fft-straight.wgsl"
//#expects LENGTH, transformKept (points to frequencies), loadPoint
//#expects combineKept (`combineModes` with every k up to LENGTH/2)

// Modes k and LENGTH − k, root = e^{−2πi k/(2·LENGTH)}: real and imaginary part exchanged for the transform that follows.
fn combineModes(k: u32, root: vec2f) {
  let a = kept[k];
  let b = kept[LENGTH - k] * vec2f(1.0, -1.0);
  let even = a + b;
  let odd = -turned(times(a - b, root * vec2f(1.0, -1.0)));
  kept[k] = (even + odd).yx;
  if (k > 0u) {
    kept[LENGTH - k] = ((even - odd) * vec2f(1.0, -1.0)).yx;
  }
}

@compute @workgroup_size(GROUP)
fn realInverse(invocation: Invocation) {
  let place = placeOf(invocation);
  loadLine(place, false);
  if (!skipped(place)) {
    kept[LENGTH] = loadPoint(place, LENGTH);
  }
  combineKept();
  transformKept();
  storeLine(place, true);
}
