// Colours of a density by the bits of its share of the brightest, so that no pixel needs a logarithm; bytes in the order of
// the picture's. The first colour is that of nothing, the last that of the brightest.
//#expects table, tone, SHARE_COLOURS

fn shareColour(part: f32) -> u32 {
  let one = 0x3f800000u >> tone.shareBits; // bits of 1
  let below = one - min(bitcast<u32>(max(part, 0.0)) >> tone.shareBits, one);
  return table[SHARE_COLOURS - 1u - min(below, SHARE_COLOURS - 1u)];
}
