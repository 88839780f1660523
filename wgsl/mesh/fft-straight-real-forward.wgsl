// Real rows of 2·LENGTH numbers to LENGTH + 1 complex ones, in straight code: fft-real-forward.wgsl has the formulae.
//#import "fft-butterflies.wgsl"
//#import "fft-straight.wgsl"
//#expects LENGTH, transformKept (points to frequencies), storePoint
//#expects separateKept (`separateModes` with every pair of modes once)

// Mode k of the complex line and its mirror, LENGTH − k, are kept at these places; the mirror's goes to `other`, which is
// behind the line where k = 0. root = e^{−2πi k/(2·LENGTH)}.
fn separateModes(at: u32, mirror: u32, other: u32, root: vec2f) {
  let a = kept[at];
  let b = kept[mirror] * vec2f(1.0, -1.0);
  let even = 0.5 * (a + b);
  let odd = times(0.5 * turned(a - b), root);
  kept[at] = even + odd;
  kept[other] = (even - odd) * vec2f(1.0, -1.0);
}

@compute @workgroup_size(GROUP)
fn realForward(invocation: Invocation) {
  let place = placeOf(invocation);
  loadLine(place, false);
  transformKept();
  separateKept();
  storeLine(place, false);
  if (!skipped(place)) {
    storePoint(place, LENGTH, kept[LENGTH]);
  }
}
