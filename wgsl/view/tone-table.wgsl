// Colours of t = 0 … 1 in a table as fine as a screen tells apart, four bytes each.
//#expects TABLE_COLOURS

@group(0) @binding(8) var<storage, read> table: array<u32>;

fn tableColour(t: f32) -> vec3f {
  let entry = u32(clamp(t, 0.0, 1.0) * f32(TABLE_COLOURS - 1u) + 0.5);
  return unpack4x8unorm(table[entry]).rgb;
}
