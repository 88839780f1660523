// A layer of a picture of motion: counts and sums of velocities in, number, mass and its moments of velocity a pixel out.
//#expects layer, ADDING

@group(0) @binding(3) var<storage, read> counts: array<u32>; // [layers, height, width]
@group(0) @binding(4) var<storage, read_write> map: array<vec2f>; // [height, width] particles, mass
@group(0) @binding(5) var<storage, read_write> motion: array<vec2f>; // the same: m v, m v²
@group(0) @binding(6) var<storage, read> firsts: array<vec2u>; // as counts: Σ w (v + 2^16), low word first
@group(0) @binding(7) var<storage, read> seconds: array<vec2u>; // Σ w v²
@group(0) @binding(8) var<uniform> speed: vec4f; // y: velocity of a unit

fn planeOf(at: u32, plane: u32) -> f32 {
  let count = counts[at];
  if (plane == 0u) { return f32(count); }
  if (plane == 2u) { return speed.y * speed.y * (f32(seconds[at].y) * 0x1p32 + f32(seconds[at].x)); }
  // Without what was added to make it positive: 2^16 a count.
  let sum = firsts[at];
  let low = sum.x - (count << 16u);
  let high = sum.y - (count >> 16u) - select(0u, 1u, sum.x < (count << 16u));
  let isNegative = high >= 0x80000000u;
  let size = select(vec2u(low, high), vec2u(0u - low, ~high + select(0u, 1u, low == 0u)), isNegative);
  return select(1.0, -1.0, isNegative) * speed.y * (f32(size.y) * 0x1p32 + f32(size.x));
}

fn put(pixel: u32, content: vec3f) {
  var shown = vec2f(layer.particles, layer.mass) * content.x;
  var moments = layer.mass * content.yz;
  if (ADDING) {
    shown += map[pixel];
    moments += motion[pixel];
  }
  map[pixel] = shown;
  motion[pixel] = moments;
}
