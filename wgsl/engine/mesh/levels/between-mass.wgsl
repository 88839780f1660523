// Points of a row that hold deposited mass: words.
//#import "../poisson/poisson-mass.wgsl"
//#expects CELLS, axis (struct Axis)

@group(0) @binding(2) var<storage, read> field: array<u32>; // low words
@group(0) @binding(3) var<storage, read> highWords: array<u32>; // [rows][CELLS]

// None beyond the row's ends.
fn pointOf(row: u32, lane: u32, cell: u32) -> f32 {
  if (cell >= CELLS) {
    return 0.0;
  }
  let low = field[axis.start + row * axis.pitch + cell];
  return massContrast(vec2u(low, 0u), vec2u(highWords[row * CELLS + cell], 0u)).x;
}
