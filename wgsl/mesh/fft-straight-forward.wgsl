// Forward transform of complex lines, in straight code.
//#import "fft-straight.wgsl"
//#expects transformKept (points to frequencies)

@compute @workgroup_size(GROUP)
fn forward(invocation: Invocation) {
  let place = placeOf(invocation);
  loadLine(place, false);
  transformKept();
  storeLine(place, false);
}
