// The colour of a density.
//#import "density-table.wgsl"

@group(0) @binding(3) var<storage, read> map: array<f32>; // mass of each pixel
@group(0) @binding(9) var<storage, read> table: array<u32>; // [SHARE_COLOURS]

fn colourOf(pixel: u32, part: f32) -> u32 {
  return shareColour(part * map[pixel]);
}
