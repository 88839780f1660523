// The colour of a mean velocity or dispersion, which fades where there are too few particles to tell.
//#import "moment.wgsl"
//#expects tone, MOMENTS, TABLE_COLOURS

@group(0) @binding(3) var<storage, read> map: array<vec2f>; // particles and mass of each pixel
@group(0) @binding(4) var<storage, read> motion: array<vec2f>; // m v, m v²
@group(0) @binding(9) var<storage, read> table: array<u32>; // colours of t = 0 … 1, bytes in the order of the picture's

fn colourOf(pixel: u32, part: f32) -> u32 {
  let value = part * momentOf(map[pixel], motion[pixel]);
  let t = clamp(select(value, 0.5 + 0.5 * value, MOMENTS < 2), 0.0, 1.0);
  let colour = unpack4x8unorm(table[u32(t * f32(TABLE_COLOURS - 1u) + 0.5)]);
  return pack4x8unorm(vec4f(colour.rgb * clamp(map[pixel].x / tone.fewest, 0.0, 1.0), 1.0));
}
