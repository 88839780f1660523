// Colours of t = 0 … 1 in a table as fine as a screen tells apart, bytes in the order of the picture's.
//#expects TABLE_COLOURS

@group(0) @binding(9) var<storage, read> table: array<u32>;

fn tableColour(t: f32) -> u32 {
  return table[u32(clamp(t, 0.0, 1.0) * f32(TABLE_COLOURS - 1u) + 0.5)];
}
