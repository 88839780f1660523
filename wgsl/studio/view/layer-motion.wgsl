// A layer of a picture of motion: counts and sums of velocities in, number, mass and its moments of velocity a pixel out.
//#expects layer, ADDING

@group(0) @binding(3) var<storage, read> counts: array<vec4u>; // [layers, blocks]
@group(0) @binding(4) var<storage, read_write> map: array<vec2f>; // [blocks, 4] particles, mass
@group(0) @binding(5) var<storage, read_write> motion: array<vec2f>; // the same: m v, m v²
@group(0) @binding(6) var<storage, read> firsts: array<vec2u>; // [layers, blocks, 4] Σ w (v + 2^16), low word first
@group(0) @binding(7) var<storage, read> seconds: array<vec2u>; // Σ w v²
@group(0) @binding(8) var<uniform> speed: vec4f; // y: velocity of a unit

fn secondOf(at: u32) -> f32 {
  let sum = seconds[at];
  return speed.y * speed.y * (f32(sum.y) * 0x1p32 + f32(sum.x));
}

// Without what was added to make it positive: 2^16 a count.
fn firstOf(at: u32, count: u32) -> f32 {
  let sum = firsts[at];
  let low = sum.x - (count << 16u);
  let high = sum.y - (count >> 16u) - select(0u, 1u, sum.x < (count << 16u));
  let isNegative = high >= 0x80000000u;
  let size = select(vec2u(low, high), vec2u(0u - low, ~high + select(0u, 1u, low == 0u)), isNegative);
  return select(1.0, -1.0, isNegative) * speed.y * (f32(size.y) * 0x1p32 + f32(size.x));
}

fn fourOf(block: u32, plane: u32) -> vec4f {
  let at = 4u * block;
  if (plane == 2u) { return vec4f(secondOf(at), secondOf(at + 1u), secondOf(at + 2u), secondOf(at + 3u)); }
  let four = counts[block];
  if (plane == 0u) { return vec4f(four); }
  return vec4f(firstOf(at, four.x), firstOf(at + 1u, four.y), firstOf(at + 2u, four.z), firstOf(at + 3u, four.w));
}

fn putFour(block: u32, counts: vec4f, first: vec4f, second: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    let at = 4u * block + i;
    var shown = vec2f(layer.particles, layer.mass) * counts[i];
    var moments = layer.mass * vec2f(first[i], second[i]);
    if (ADDING) {
      shown += map[at];
      moments += motion[at];
    }
    map[at] = shown;
    motion[at] = moments;
  }
}
