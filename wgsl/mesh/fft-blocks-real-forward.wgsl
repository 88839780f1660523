// Long real rows of 2·LENGTH numbers to LENGTH + 1 complex ones, by blocks: fft-real-forward.wgsl has the formulae, and the
// same order of the modes.
//#import "fft-blocks.wgsl"
//#import "fft-butterflies.wgsl"
//#expects recallBlock, keepBlock, transformBlock (points to frequencies), RADIX_A, RADIX_C, LENGTH, rootOfUnity, storePoint

// Where row f of the last stage is kept.
fn rowKept(f: u32) -> u32 {
  return f % RADIX_A * BLOCK + f / RADIX_A * RADIX_C;
}

@compute @workgroup_size(GROUP)
fn realForward(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  clearOne(place);
  columnsForward(place);
  let blocks = turnsOf(place, RADIX_A);
  for (var block = 0u; block < blocks; block++) {
    recallBlock(block);
    transformBlock();
    keepBlock(block);
  }
  let turns = turnsOf(place, ROW_COUNT / 2u + 1u);
  for (var f = 0u; f < turns; f++) {
    let row = rowKept(f);
    let mirrored = rowKept((ROW_COUNT - f) % ROW_COUNT);
    for (var c = 0u; c < RADIX_C; c++) {
      let k = f + c * ROW_COUNT;
      let x = kept[row + c];
      let mirror = kept[mirrored + select(RADIX_C - 1u - c, (RADIX_C - c) % RADIX_C, f == 0u)] * vec2f(1.0, -1.0);
      let even = 0.5 * (x + mirror);
      let odd = times(0.5 * turned(x - mirror), rootOfUnity(k));
      storePoint(place, k, even + odd);
      storePoint(place, LENGTH - k, (even - odd) * vec2f(1.0, -1.0));
    }
  }
}
