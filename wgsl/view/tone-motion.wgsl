// The colour of a mean velocity or dispersion, which fades where there are too few particles to tell.
//#import "moment.wgsl"
//#import "tone-table.wgsl"
//#expects tone, MOMENTS

@group(0) @binding(3) var<storage, read> map: array<vec2f>; // particles and mass of each pixel
@group(0) @binding(4) var<storage, read> motion: array<vec2f>; // m v, m v²

fn colourOf(pixel: u32, part: f32) -> u32 {
  let value = part * momentOf(map[pixel], motion[pixel]);
  let colour = unpack4x8unorm(tableColour(select(value, 0.5 + 0.5 * value, MOMENTS < 2)));
  return pack4x8unorm(vec4f(colour.rgb * clamp(map[pixel].x / tone.fewest, 0.0, 1.0), 1.0));
}
