// Forward transform of complex lines, product with a transfer function, inverse transform (not normalised), in straight
// code.
//#import "fft-straight.wgsl"
//#expects transformKept, transformBack (and the other way), prepareTransfer, transferFactor, transferred, LENGTH
//#expects transferKept (every mode: `transferMode`, or of padded lines `transferModes` up to LENGTH/2)

fn transferMode(place: Place, f: u32) {
  let at = placeOfFrequency(f);
  kept[at] = transferred(transferFactor(place, f), f, kept[at]).yx;
}

// Modes k and −k, whose factor is read once.
fn transferModes(place: Place, k: u32) {
  let factor = transferFactor(place, k);
  let at = placeOfFrequency(k);
  kept[at] = transferred(factor, k, kept[at]).yx;
  let mirror = LENGTH - k;
  if (k > 0u && mirror != k) {
    let other = placeOfFrequency(mirror);
    kept[other] = transferred(factor, mirror, kept[other]).yx;
  }
}

@compute @workgroup_size(GROUP)
fn convolve(invocation: Invocation) {
  let place = placeOf(invocation);
  loadLine(place, false);
  transformKept();
  prepareTransfer(place);
  transferKept(place);
  transformBack();
  storeLine(place, true);
}
