// Forward transform of complex lines, product with a transfer function, inverse transform (not normalised), in straight
// code.
//#import "fft-straight.wgsl"
//#expects transformKept, transformBack (and the other way), prepareTransfer, transferred
//#expects transferKept (`transferMode` with every mode)

fn transferMode(place: Place, f: u32) {
  let at = placeOfFrequency(f);
  kept[at] = transferred(place, f, kept[at]).yx;
}

@compute @workgroup_size(GROUP)
fn convolve(invocation: Invocation) {
  let place = placeOf(invocation);
  loadLine(place, false);
  transformKept();
  prepareTransfer(place);
  transferKept(place);
  transformBack();
  storeLine(place, false, true);
}
