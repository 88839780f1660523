// Where a pixel lies: pictures are kept block by block of 2 × 2 pixels, blocks in rows, the pixels of a block row by row.

fn placeInBlocks(pixel: vec2u, width: u32) -> u32 {
  let block = (pixel.y >> 1u) * ((width + 1u) >> 1u) + (pixel.x >> 1u);
  return 4u * block + 2u * (pixel.y & 1u) + (pixel.x & 1u);
}
