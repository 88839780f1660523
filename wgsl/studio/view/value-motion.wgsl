// What the brightness of a picture of motion goes by: the size of a pixel's mean velocity or dispersion, where particles are.
//#import "moment.wgsl"
//#expects range

@group(0) @binding(3) var<storage, read> map: array<vec2f>; // particles, mass
@group(0) @binding(4) var<storage, read> motion: array<vec2f>;

fn valueOf(pixel: u32) -> f32 {
  return select(0.0, abs(momentOf(map[pixel], motion[pixel])), map[pixel].x >= range.fewest);
}
