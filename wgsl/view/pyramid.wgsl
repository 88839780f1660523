// Adaptive blur that loses nothing: a pyramid of cells of 1, 2, 4 … pixels. Where a block of four cells holds few particles
// its content goes up into the cell above, elsewhere it stays; on the way down each level's cells spread over the four below
// with weights 9 : 3 : 3 : 1 (Chaikin 1974: repeated, the quadratic B-spline), and what stayed is added. Cells hold means over
// their pixels, at the borders of those within the picture: sums are kept.
//#import "../lib/grid.wgsl"
//#expects GROUP, PLANES (what is blurred together: counts, with velocities, with their squares), sumsOf, put

struct Level { // from a level to the one above
  width: u32, // cells below
  height: u32,
  above: vec2u, // cells above
  scale: u32, // pixels of a cell below
  numbers: u32, // in `levels`: particles and contents, below and above
  contents: u32,
  numbersAbove: u32,
  contentsAbove: u32,
  spare: u32,
  picture: vec2u, // pixels
}

struct Layer {
  base: u32, // of the layer in the grid
  isFirst: u32, // on its map
  mass: f32, // of a count
  particles: f32, // to a count
  few: f32, // particles of a block of which nothing stays; all stays from four times as many on
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<uniform> layer: Layer;
@group(0) @binding(2) var<storage, read_write> levels: array<f32>;

// Of the content of a block with so many particles.
fn staying(number: f32) -> f32 {
  return clamp((number / layer.few - 1.0) / 3.0, 0.0, 1.0);
}

fn cellsBelow() -> u32 { return level.width * level.height; }

fn contentAt(at: u32, cells: u32) -> vec3f {
  var content = vec3f(0.0);
  for (var plane = 0u; plane < PLANES; plane++) { content[plane] = levels[at + plane * cells]; }
  return content;
}

fn putContent(at: u32, cells: u32, content: vec3f) {
  for (var plane = 0u; plane < PLANES; plane++) { levels[at + plane * cells] = content[plane]; }
}

// Pixels of a cell that lie in the picture.
fn pixelsOf(cell: vec2u, scale: u32) -> f32 {
  let size = min((cell + 1u) * scale, level.picture) - cell * scale;
  return f32(size.x * size.y);
}

struct Block {
  cell: vec2u, // above
  isThere: bool,
}

fn blockOf(invocation: Invocation) -> Block {
  let index = flatIndex(invocation, GROUP);
  let cell = vec2u(index % level.above.x, index / level.above.x);
  return Block(cell, cell.y < level.above.y);
}

// What the pixels of a block hold goes up.
@compute @workgroup_size(GROUP)
fn up_from_pixels(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  var content = vec3f(0.0);
  var pixels = 0.0;
  for (var i = 0u; i < 4u; i++) {
    let cell = 2u * block.cell + vec2u(i & 1u, i >> 1u);
    if (cell.x < level.width && cell.y < level.height) {
      content += sumsOf(layer.base + cell.y * level.width + cell.x);
      pixels += 1.0;
    }
  }
  let number = content.x * layer.particles;
  let at = block.cell.y * level.above.x + block.cell.x;
  levels[level.numbersAbove + at] = number;
  let cells = level.above.x * level.above.y;
  putContent(level.contentsAbove + at, cells, content * ((1.0 - staying(number)) / pixels));
}

@compute @workgroup_size(GROUP)
fn up(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  var content = vec3f(0.0);
  var number = 0.0;
  for (var i = 0u; i < 4u; i++) {
    let cell = 2u * block.cell + vec2u(i & 1u, i >> 1u);
    if (cell.x < level.width && cell.y < level.height) {
      let at = cell.y * level.width + cell.x;
      number += levels[level.numbers + at];
      content += contentAt(level.contents + at, cellsBelow()) * pixelsOf(cell, level.scale);
    }
  }
  let at = block.cell.y * level.above.x + block.cell.x;
  levels[level.numbersAbove + at] = number;
  let share = (1.0 - staying(number)) / pixelsOf(block.cell, 2u * level.scale);
  putContent(level.contentsAbove + at, level.above.x * level.above.y, content * share);
}

// The nine cells above that spread over a block's four, as four sums.
fn spread(cell: vec2u) -> array<vec3f, 4> {
  let cells = level.above.x * level.above.y;
  var rows: array<array<vec3f, 2>, 3>;
  for (var j = 0u; j < 3u; j++) {
    let y = u32(clamp(i32(cell.y + j) - 1, 0, i32(level.above.y) - 1)) * level.above.x + level.contentsAbove;
    let left = contentAt(y + u32(max(i32(cell.x) - 1, 0)), cells);
    let middle = 3.0 * contentAt(y + cell.x, cells);
    let right = contentAt(y + min(cell.x + 1u, level.above.x - 1u), cells);
    rows[j] = array<vec3f, 2>(left + middle, middle + right);
  }
  return array<vec3f, 4>(
    (rows[0][0] + 3.0 * rows[1][0]) / 16.0,
    (rows[0][1] + 3.0 * rows[1][1]) / 16.0,
    (3.0 * rows[1][0] + rows[2][0]) / 16.0,
    (3.0 * rows[1][1] + rows[2][1]) / 16.0,
  );
}

@compute @workgroup_size(GROUP)
fn down(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  var spread = spread(block.cell);
  let share = staying(levels[level.numbersAbove + block.cell.y * level.above.x + block.cell.x]);
  for (var i = 0u; i < 4u; i++) {
    let cell = 2u * block.cell + vec2u(i & 1u, i >> 1u);
    if (cell.x < level.width && cell.y < level.height) {
      let at = level.contents + cell.y * level.width + cell.x;
      putContent(at, cellsBelow(), spread[i] + share * contentAt(at, cellsBelow()));
    }
  }
}

@compute @workgroup_size(GROUP)
fn down_to_pixels(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  var spread = spread(block.cell);
  let share = staying(levels[level.numbersAbove + block.cell.y * level.above.x + block.cell.x]);
  for (var i = 0u; i < 4u; i++) {
    let cell = 2u * block.cell + vec2u(i & 1u, i >> 1u);
    if (cell.x < level.width && cell.y < level.height) {
      let at = cell.y * level.width + cell.x;
      put(at, spread[i] + share * sumsOf(layer.base + at));
    }
  }
}

// Without blur.
@compute @workgroup_size(GROUP)
fn plain(invocation: Invocation) {
  let at = flatIndex(invocation, GROUP);
  if (at < level.picture.x * level.picture.y) { put(at, sumsOf(layer.base + at)); }
}
