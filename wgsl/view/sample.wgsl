// The brightness of a picture of one layer before it is there (range.wgsl): the blur's last step for the sampled pixels alone.
//#import "range-words.wgsl"
//#expects GROUP, level, layer, levels, kept, fourOf

@group(0) @binding(4) var<uniform> range: Range;
@group(0) @binding(5) var<storage, read_write> histogram: array<atomic<u32>>; // [BINS]

// The cell above a pixel's on its own side, or its own at the border.
fn beside(pixel: u32, cells: u32) -> u32 {
  let cell = pixel / 2u;
  return select(max(cell, 1u) - 1u, min(cell + 1u, cells - 1u), pixel % 2u == 1u);
}

@compute @workgroup_size(GROUP)
fn sample(@builtin(global_invocation_id) invocation: vec3u) {
  let at = invocation.x * range.stride;
  if (at >= range.pixels) { return; }
  let pixel = vec2u(at % level.size.x, at / level.size.x);
  let own = pixel / 2u;
  let other = vec2u(beside(pixel.x, level.above.x), beside(pixel.y, level.above.y));
  let cells = vec4u(own.y, own.y, other.y, other.y) * level.above.x + vec4u(own.x, other.x, own.x, other.x);
  let weights = vec4f(9.0, 3.0, 3.0, 1.0);
  let contents = level.contentsAbove + cells;
  let numbers = level.numbersAbove + cells;
  let number = dot(weights, vec4f(levels[numbers.x], levels[numbers.y], levels[numbers.z], levels[numbers.w]));
  let above = vec4f(levels[contents.x], levels[contents.y], levels[contents.z], levels[contents.w]);
  let wide = vec2f(kept(own.x, level.above.x, level.picture.x), kept(other.x, level.above.x, level.picture.x));
  let high = vec2f(kept(own.y, level.above.y, level.picture.y), kept(other.y, level.above.y, level.picture.y));
  let share = clamp(layer.perFew * number - 1.0 / 3.0, 0.0, 1.0);
  let count = fourOf(layer.base + cells.x, 0u)[2u * (pixel.y & 1u) + (pixel.x & 1u)];
  let value = layer.mass * (dot(weights * wide.xyxy * high.xxyy, above) / 16.0 + share * count);
  if (value > 0.0) { atomicAdd(&histogram[bitcast<u32>(value) >> BIN_BITS], 1u); }
}
