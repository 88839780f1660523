// Adaptive blur that loses nothing: a pyramid of cells of 1, 2, 4 … pixels. Where blocks of four cells hold few particles
// their content goes up into the cell above, elsewhere it stays; on the way down each level's cells spread over the four below
// with weights 9 : 3 : 3 : 1 (Chaikin 1974: repeated, the quadratic B-spline), and what stayed is added. Cells hold means over
// their pixels, at the borders of those within the picture: sums are kept.
//#import "../lib/grid.wgsl"
//#expects GROUP, PLANES (what is blurred together: counts, with velocities, with their squares), planeOf, put

struct Level { // from a level to the one above
  size: vec2u, // cells below
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

fn cellsBelow() -> u32 { return level.size.x * level.size.y; }
fn cellsAbove() -> u32 { return level.above.x * level.above.y; }

// A cell above and its block of four below: of columns 2x and 2x + 1, then those of the next row.
struct Block {
  cell: vec2u,
  isThere: bool,
  at: vec4u, // cells below
  isInside: vec4<bool>, // of the picture
}

fn blockOf(invocation: Invocation) -> Block {
  let index = flatIndex(invocation, GROUP);
  let cell = vec2u(index % level.above.x, index / level.above.x);
  let corner = 2u * cell;
  let at = vec4u(0u, 1u, level.size.x, level.size.x + 1u) + corner.y * level.size.x + corner.x;
  let right = corner.x + 1u < level.size.x;
  let low = corner.y + 1u < level.size.y;
  return Block(cell, cell.y < level.above.y, at, vec4<bool>(true, right, low, right && low));
}

fn cellAbove(block: Block) -> u32 { return block.cell.y * level.above.x + block.cell.x; }

fn belowAt(start: u32, block: Block) -> vec4f {
  let inside = select(vec4u(block.at.x), block.at, block.isInside);
  let four = vec4f(levels[start + inside.x], levels[start + inside.y], levels[start + inside.z], levels[start + inside.w]);
  return select(vec4f(0.0), four, block.isInside);
}

fn pixelsAt(plane: u32, block: Block) -> vec4f {
  let inside = layer.base + select(vec4u(block.at.x), block.at, block.isInside);
  let four = vec4f(planeOf(inside.x, plane), planeOf(inside.y, plane), planeOf(inside.z, plane), planeOf(inside.w, plane));
  return select(vec4f(0.0), four, block.isInside);
}

// What the nine cells about the block's spread over its four, times `wide` and `high` by column and row.
fn spread(start: u32, block: Block, wide: vec3f, high: vec3f) -> vec4f {
  let x = vec3u(max(block.cell.x, 1u) - 1u, block.cell.x, min(block.cell.x + 1u, level.above.x - 1u));
  let y = vec3u(max(block.cell.y, 1u) - 1u, block.cell.y, min(block.cell.y + 1u, level.above.y - 1u)) * level.above.x + start;
  let top = high.x * vec3f(levels[y.x + x.x], levels[y.x + x.y], levels[y.x + x.z]);
  let middle = 3.0 * high.y * vec3f(levels[y.y + x.x], levels[y.y + x.y], levels[y.y + x.z]);
  let bottom = high.z * vec3f(levels[y.z + x.x], levels[y.z + x.y], levels[y.z + x.z]);
  let upper = wide * (top + middle);
  let lower = wide * (middle + bottom);
  return vec4f(
    vec2f(upper.x, upper.z) + 3.0 * upper.y,
    vec2f(lower.x, lower.z) + 3.0 * lower.y,
  ) / 16.0;
}

// Pixels of a column or row of cells below.
fn pixelsAcross(cell: i32, picture: u32) -> f32 {
  let first = cell * i32(level.scale);
  return f32(max(0, min(first + i32(level.scale), i32(picture)) - first));
}

// Pixels of a cell above to those that it spreads over, along an axis: 1 but at borders that cut cells.
fn kept(cell: u32, above: u32, picture: u32) -> f32 {
  if (cell + 2u < above) { return 1.0; }
  let left = 2 * i32(cell);
  let own = pixelsAcross(left, picture) + pixelsAcross(left + 1, picture);
  let before = pixelsAcross(select(left - 1, left, cell == 0u), picture);
  let after = pixelsAcross(select(left + 2, left + 1, cell + 1u == above), picture);
  return own / (0.75 * own + 0.25 * (before + after));
}

fn keptAbout(cell: u32, above: u32, picture: u32) -> vec3f {
  let last = min(cell + 1u, above - 1u);
  return vec3f(kept(max(cell, 1u) - 1u, above, picture), kept(cell, above, picture), kept(last, above, picture));
}

fn spreadContent(plane: u32, block: Block) -> vec4f {
  let wide = keptAbout(block.cell.x, level.above.x, level.picture.x);
  let high = keptAbout(block.cell.y, level.above.y, level.picture.y);
  return spread(level.contentsAbove + plane * cellsAbove(), block, wide, high);
}

// Share of what is in the four cells that stays there: by the particles of the blocks, interpolated, so that none shows.
fn staying(block: Block) -> vec4f {
  let number = spread(level.numbersAbove, block, vec3f(1.0), vec3f(1.0));
  return clamp((number / layer.few - 1.0) / 3.0, vec4f(0.0), vec4f(1.0));
}

// Pixels of cells that lie in the picture: of one above, of four below.
fn pixelsOf(cell: vec2u, scale: u32) -> f32 {
  let size = min((cell + 1u) * scale, level.picture) - min(cell * scale, level.picture);
  return f32(size.x * size.y);
}

fn pixelsBelow(block: Block) -> vec4f {
  let corner = 2u * block.cell;
  return vec4f(
    pixelsOf(corner, level.scale),
    pixelsOf(corner + vec2u(1u, 0u), level.scale),
    pixelsOf(corner + vec2u(0u, 1u), level.scale),
    pixelsOf(corner + 1u, level.scale),
  );
}

@compute @workgroup_size(GROUP)
fn numbers_of_pixels(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  levels[level.numbersAbove + cellAbove(block)] = layer.particles * dot(pixelsAt(0u, block), vec4f(1.0));
}

@compute @workgroup_size(GROUP)
fn numbers(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  levels[level.numbersAbove + cellAbove(block)] = dot(belowAt(level.numbers, block), vec4f(1.0));
}

@compute @workgroup_size(GROUP)
fn up_from_pixels(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  let going = (1.0 - staying(block)) / pixelsOf(block.cell, 2u);
  for (var plane = 0u; plane < PLANES; plane++) {
    levels[level.contentsAbove + plane * cellsAbove() + cellAbove(block)] = dot(pixelsAt(plane, block), going);
  }
}

@compute @workgroup_size(GROUP)
fn up(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  let going = (1.0 - staying(block)) * pixelsBelow(block) / pixelsOf(block.cell, 2u * level.scale);
  for (var plane = 0u; plane < PLANES; plane++) {
    let content = belowAt(level.contents + plane * cellsBelow(), block);
    levels[level.contentsAbove + plane * cellsAbove() + cellAbove(block)] = dot(content, going);
  }
}

@compute @workgroup_size(GROUP)
fn down(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  let share = staying(block);
  for (var plane = 0u; plane < PLANES; plane++) {
    let at = level.contents + plane * cellsBelow();
    let content = spreadContent(plane, block) + share * belowAt(at, block);
    levels[at + block.at.x] = content.x;
    if (block.isInside.y) { levels[at + block.at.y] = content.y; }
    if (block.isInside.z) { levels[at + block.at.z] = content.z; }
    if (block.isInside.w) { levels[at + block.at.w] = content.w; }
  }
}

fn smoothed(plane: u32, share: vec4f, block: Block) -> vec4f {
  if (plane >= PLANES) { return vec4f(0.0); }
  return spreadContent(plane, block) + share * pixelsAt(plane, block);
}

@compute @workgroup_size(GROUP)
fn down_to_pixels(invocation: Invocation) {
  let block = blockOf(invocation);
  if (!block.isThere) { return; }
  let share = staying(block);
  let counts = smoothed(0u, share, block);
  let firsts = smoothed(1u, share, block);
  let seconds = smoothed(2u, share, block);
  put(block.at.x, vec3f(counts.x, firsts.x, seconds.x));
  if (block.isInside.y) { put(block.at.y, vec3f(counts.y, firsts.y, seconds.y)); }
  if (block.isInside.z) { put(block.at.z, vec3f(counts.z, firsts.z, seconds.z)); }
  if (block.isInside.w) { put(block.at.w, vec3f(counts.w, firsts.w, seconds.w)); }
}

// Without blur.
@compute @workgroup_size(GROUP)
fn plain(invocation: Invocation) {
  let at = flatIndex(invocation, GROUP);
  if (at >= level.picture.x * level.picture.y) { return; }
  var content = vec3f(0.0);
  for (var plane = 0u; plane < PLANES; plane++) { content[plane] = planeOf(layer.base + at, plane); }
  put(at, content);
}
