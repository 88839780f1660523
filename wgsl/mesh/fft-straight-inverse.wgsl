// Inverse transform of complex lines, not normalised, in straight code.
//#import "fft-straight.wgsl"
//#expects transformKept (points to frequencies)

@compute @workgroup_size(GROUP)
fn inverse(invocation: Invocation) {
  let place = placeOf(invocation);
  loadLine(place, true);
  transformKept();
  storeLine(place, true);
}
