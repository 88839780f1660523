// Inverse transform of long complex lines, not normalised, by blocks.
//#import "fft-blocks.wgsl"
//#expects keepBlock, keepMoved (of a block, by frequency), transformBack (frequencies to points), RADIX_A, loadPoint

@compute @workgroup_size(GROUP)
fn inverse(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  clearOne(place);
  let blocks = turnsOf(place, RADIX_A);
  for (var block = 0u; block < blocks; block++) {
    let turns = turnsOf(place, BLOCK / TOGETHER);
    for (var turn = 0u; turn < turns; turn++) {
      let k = block + RADIX_A * TOGETHER * turn;
      moved[0] = loadPoint(place, k).yx;
      moved[1] = loadPoint(place, k + RADIX_A).yx;
      moved[2] = loadPoint(place, k + 2u * RADIX_A).yx;
      moved[3] = loadPoint(place, k + 3u * RADIX_A).yx;
      keepMoved(turn);
    }
    transformBack();
    keepBlock(block);
  }
  columnsInverse(place);
}
