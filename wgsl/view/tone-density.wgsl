// The colour of a density.
//#import "tone-table.wgsl"
//#expects stretched

@group(0) @binding(3) var<storage, read> map: array<f32>; // mass of each pixel

fn colourOf(pixel: u32, part: f32) -> u32 {
  return tableColour(stretched(part * map[pixel]));
}
