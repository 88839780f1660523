// Forward transform of long complex lines, by blocks.
//#import "fft-blocks.wgsl"
//#expects recallBlock, recallMoved (of a block, by frequency), transformBlock (points to frequencies), RADIX_A, storePoint

@compute @workgroup_size(GROUP)
fn forward(invocation: Invocation) {
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
    let turns = turnsOf(place, BLOCK / TOGETHER);
    for (var turn = 0u; turn < turns; turn++) {
      recallMoved(turn);
      let k = block + RADIX_A * TOGETHER * turn;
      storePoint(place, k, moved[0]);
      storePoint(place, k + RADIX_A, moved[1]);
      storePoint(place, k + 2u * RADIX_A, moved[2]);
      storePoint(place, k + 3u * RADIX_A, moved[3]);
    }
  }
}
