// Colours of a density by the bits of its share of the brightest, so that no pixel needs a logarithm; bytes in the order of
// the picture's. The first colour is that of nothing, the last that of the brightest.
//#expects tone, SHARE_COLOURS

@group(0) @binding(3) var<storage, read> map: array<f32>; // mass of each pixel
@group(0) @binding(9) var<storage, read> table: array<u32>; // [SHARE_COLOURS]

fn colourOf(pixel: u32, part: f32) -> u32 {
  let first = (0x3f800000u >> tone.shareBits) + 1u - SHARE_COLOURS; // bits of 1, less the colours below it
  let at = i32(bitcast<u32>(part * map[pixel]) >> tone.shareBits) - i32(first);
  return table[u32(clamp(at, 0, i32(SHARE_COLOURS) - 1))];
}
