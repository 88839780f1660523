// Forward transform of long complex lines, product with a transfer function, inverse transform (not normalised), by blocks.
//#import "fft-blocks.wgsl"
//#expects recallBlock, keepBlock, keepMoved, recallMoved (of a block, by frequency)
//#expects transformBlock (points to frequencies), transformBack, RADIX_A, prepareTransfer, transferFactor, transferred

@compute @workgroup_size(GROUP)
fn convolve(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  clearOne(place);
  columnsForward(place);
  prepareTransfer(place);
  let blocks = turnsOf(place, RADIX_A);
  for (var block = 0u; block < blocks; block++) {
    recallBlock(block);
    transformBlock();
    let turns = turnsOf(place, BLOCK / TOGETHER);
    for (var turn = 0u; turn < turns; turn++) {
      recallMoved(turn);
      for (var i = 0u; i < TOGETHER; i++) {
        let k = block + RADIX_A * (TOGETHER * turn + i);
        moved[i] = transferred(transferFactor(place, k), k, moved[i]).yx;
      }
      keepMoved(turn);
    }
    transformBack();
    keepBlock(block);
  }
  columnsInverse(place);
}
