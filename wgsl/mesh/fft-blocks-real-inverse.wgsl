// LENGTH + 1 complex numbers to long real rows of 2·LENGTH, not normalised, by blocks: fft-real-inverse.wgsl has the formulae,
// and the same order of the modes. Rows of the last stage and their mirrors fill two blocks at a time, k1 and A − k1; blocks
// 0 and A/2, which are their own mirrors, come together.
//#import "fft-blocks.wgsl"
//#import "fft-butterflies.wgsl"
//#expects keepRows, keepOwnRows (of a turn, in two blocks or in those that are their own mirrors), takeOther, keepBlock
//#expects transformBack (frequencies to points), BLOCK_POINTS, RADIX_A, RADIX_B, RADIX_C, LENGTH, rootOfUnity, loadPoint

var<private> direct: array<vec2f, RADIX_C>; // a row up to the middle one
var<private> mirrored: array<vec2f, RADIX_C>; // its mirror
var<private> other: array<vec2f, BLOCK_POINTS>; // the second of two blocks

// The row that a turn reads, of the first block or of the second.
fn rowOf(pair: u32, turn: u32) -> u32 {
  if (pair == 0u) {
    return select(turn * RADIX_A, (turn - RADIX_B / 2u) * RADIX_A - RADIX_A / 2u, turn > RADIX_B / 2u);
  }
  return select(pair + turn * RADIX_A, (RADIX_B - turn) * RADIX_A - pair, turn >= RADIX_B / 2u);
}

@compute @workgroup_size(GROUP)
fn realInverse(invocation: Invocation) {
  let place = placeOf(invocation);
  if (skipped(place)) {
    return;
  }
  clearOne(place);
  other[place.line % BLOCK_POINTS] = vec2f();
  let blocks = turnsOf(place, RADIX_A);
  for (var step = 0u; step < blocks; step++) {
    let pair = step / 2u;
    if (step % 2u == 0u) {
      let turns = turnsOf(place, select(RADIX_B, RADIX_B + 1u, pair == 0u));
      for (var turn = 0u; turn < turns; turn++) {
        let f = rowOf(pair, turn);
        for (var c = 0u; c < RADIX_C; c++) {
          let k = f + c * ROW_COUNT;
          let a = loadPoint(place, k);
          let b = loadPoint(place, LENGTH - k) * vec2f(1.0, -1.0);
          let even = a + b;
          let odd = -turned(times(a - b, rootOfUnity(k) * vec2f(1.0, -1.0)));
          // Real and imaginary part exchanged for the inverse stages.
          direct[c] = (even + odd).yx;
          mirrored[RADIX_C - 1u - c] = ((even - odd) * vec2f(1.0, -1.0)).yx;
        }
        if (pair == 0u) {
          keepOwnRows(turn);
        } else {
          keepRows(turn);
        }
      }
    } else {
      takeOther();
    }
    transformBack();
    let second = select(RADIX_A - pair, RADIX_A / 2u, pair == 0u);
    keepBlock(select(second, pair, step % 2u == 0u));
  }
  columnsInverse(place);
}
