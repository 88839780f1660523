// The colour of a mean velocity or dispersion, which fades where there are too few particles to tell.
//#import "moment.wgsl"
//#import "tone-table.wgsl"
//#expects tone, MOMENTS

@group(0) @binding(2) var<storage, read> map: array<vec2f>; // particles and mass of each pixel
@group(0) @binding(3) var<storage, read> motion: array<vec2f>; // m v, m v²

fn colourOf(pixel: u32, part: f32) -> vec3f {
  let value = part * momentOf(map[pixel], motion[pixel]);
  let t = select(value, 0.5 + 0.5 * value, MOMENTS < 2);
  return tableColour(t) * clamp(map[pixel].x / tone.fewest, 0.0, 1.0);
}
