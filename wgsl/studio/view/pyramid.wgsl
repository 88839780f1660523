// Adaptive blur that keeps sums: a pyramid of cells of 1, 2, 4 … pixels. Where blocks of four cells hold few particles
// their content goes up into the cell above, elsewhere it stays; on the way down each level's cells spread over the four below
// with weights 9 : 3 : 3 : 1 (Chaikin 1974: repeated, the quadratic B-spline), and what stayed is added. Cells hold means over
// their pixels within the picture. Counts and maps lie block by block of 2 × 2 pixels, the cells of the first level.
//#expects SIDE (of a workgroup), RUN (blocks of an invocation), PLANES (what is blurred together: counts, with velocities, with their squares)
//#expects FROM_PIXELS (the cells below are pixels), fourOf, putFour

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
  base: u32, // of the layer in the grid, blocks
  spare: u32,
  mass: f32, // of a count
  particles: f32, // to a count
  perFew: f32, // 1/48 of one over the particles of a block of which nothing stays; all stays from four times as many on
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<uniform> layer: Layer;
@group(0) @binding(2) var<storage, read_write> levels: array<f32>;

fn cellsBelow() -> u32 { return level.size.x * level.size.y; }
fn cellsAbove() -> u32 { return level.above.x * level.above.y; }

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

// A run of blocks of two rows, which share the columns of cells that they read.
struct Run {
  row: u32, // of the upper blocks
  first: u32,
  end: u32,
  isThere: bool,
  rows: vec4u, // above the two, of them, below: where they begin
  high: vec4f, // `kept` of these rows
  isInside: vec4<bool>, // of the picture: the four rows of cells below
}

fn runOf(run: vec2u) -> Run {
  let row = 2u * run.y;
  let first = RUN * run.x;
  let last = level.above.y - 1u;
  let rows = min(vec4u(max(row, 1u) - 1u, row, row + 1u, row + 2u), vec4u(last));
  let high = vec4f(
    kept(rows.x, level.above.y, level.picture.y),
    kept(rows.y, level.above.y, level.picture.y),
    kept(rows.z, level.above.y, level.picture.y),
    kept(rows.w, level.above.y, level.picture.y),
  );
  let isInside = 2u * row + vec4u(0u, 1u, 2u, 3u) < vec4u(level.size.y);
  let isThere = row <= last && first < level.above.x;
  return Run(row, first, min(first + RUN, level.above.x), isThere, rows * level.above.x, high, isInside);
}

// What the four cells of a column spread over the rows of the two blocks in the middle, but for the weights along the row.
fn inRows(cells: vec4f) -> vec4f {
  let middle = 3.0 * cells.yz;
  return vec4f(cells.x + middle.x, middle.x + cells.z, cells.y + middle.y, middle.y + cells.w);
}

fn fourRows(start: u32, rows: vec4u, x: u32) -> vec4f {
  let at = start + rows + x;
  return vec4f(levels[at.x], levels[at.y], levels[at.z], levels[at.w]);
}

// The left and the right cells of the two blocks of a column, row by row.
struct Pairs {
  left: vec4f,
  right: vec4f,
}

struct Column {
  number: vec4f,
  counts: vec4f,
  firsts: vec4f,
  seconds: vec4f,
}

// Particles alone.
fn numberColumn(run: Run, x: u32) -> Column {
  var column: Column;
  column.number = inRows(fourRows(level.numbersAbove, run.rows, x));
  return column;
}

fn contentColumn(plane: u32, run: Run, x: u32) -> vec4f {
  if (plane >= PLANES) { return vec4f(0.0); }
  let cells = fourRows(level.contentsAbove + plane * cellsAbove(), run.rows, x);
  return kept(x, level.above.x, level.picture.x) * inRows(run.high * cells);
}

fn columnAt(run: Run, x: u32) -> Column {
  var column = numberColumn(run, x);
  column.counts = contentColumn(0u, run, x);
  column.firsts = contentColumn(1u, run, x);
  column.seconds = contentColumn(2u, run, x);
  return column;
}

// The columns that a run reads in turn: the one on its left, its own, and the one on its right.
fn columnOf(run: Run, turn: u32) -> u32 { return clamp(run.first + turn, 1u, level.above.x) - 1u; }

// Share of what is in the cells that stays there: by the particles of the blocks, interpolated, so that none shows.
fn staying(left: Column, here: Column, right: Column) -> Pairs {
  let middle = 3.0 * here.number;
  let third = 1.0 / 3.0;
  return Pairs(
    clamp(layer.perFew * (left.number + middle) - third, vec4f(0.0), vec4f(1.0)),
    clamp(layer.perFew * (middle + right.number) - third, vec4f(0.0), vec4f(1.0)),
  );
}

// What columns on the left, at and on the right of blocks spread over their cells, and what stayed there.
fn spread(left: vec4f, here: vec4f, right: vec4f, share: Pairs, own: Pairs) -> Pairs {
  let middle = 3.0 * here;
  return Pairs((left + middle) / 16.0 + share.left * own.left, (middle + right) / 16.0 + share.right * own.right);
}

fn pairsOf(upper: vec4f, lower: vec4f) -> Pairs {
  return Pairs(vec4f(upper.xz, lower.xz), vec4f(upper.yw, lower.yw));
}

// What is in the cells below two blocks: counts of pixels, or contents; beyond the picture those at its border.
fn cellsAt(plane: u32, run: Run, x: u32) -> Pairs {
  if (FROM_PIXELS) {
    let block = layer.base + run.rows + x;
    return pairsOf(fourOf(block.y, plane), fourOf(block.z, plane));
  }
  let rows = min(2u * run.row + vec4u(0u, 1u, 2u, 3u), vec4u(level.size.y - 1u)) * level.size.x;
  let at = level.contents + plane * cellsBelow() + rows + 2u * x;
  let right = at + min(1u, level.size.x - 1u - 2u * x);
  return Pairs(
    vec4f(levels[at.x], levels[at.y], levels[at.z], levels[at.w]),
    vec4f(levels[right.x], levels[right.y], levels[right.z], levels[right.w]),
  );
}

// Particles of the cells above, from the four below each.
@compute @workgroup_size(SIDE, SIDE)
fn numbers(@builtin(global_invocation_id) cell: vec3u) {
  if (any(cell.xy >= level.above)) { return; }
  let at = cell.y * level.above.x + cell.x;
  var sum = 0.0;
  if (FROM_PIXELS) { sum = layer.particles * dot(fourOf(layer.base + at, 0u), vec4f(1.0)); }
  for (var i = 0u; i < 4u && !FROM_PIXELS; i++) {
    let below = 2u * cell.xy + vec2u(i & 1u, i >> 1u);
    if (all(below < level.size)) { sum += levels[level.numbers + below.y * level.size.x + below.x]; }
  }
  levels[level.numbersAbove + at] = sum;
}

@compute @workgroup_size(SIDE, SIDE)
fn up(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  let y = 2 * i32(run.row);
  let high = vec4f(
    pixelsAcross(y, level.picture.y),
    pixelsAcross(y + 1, level.picture.y),
    pixelsAcross(y + 2, level.picture.y),
    pixelsAcross(y + 3, level.picture.y),
  );
  var left: Column;
  var here: Column;
  var right: Column;
  for (var turn = 0u; run.first + turn < run.end + 2u; turn++) {
    left = here;
    here = right;
    right = numberColumn(run, columnOf(run, turn));
    if (turn < 2u) { continue; }
    let x = run.first + turn - 2u;
    let share = staying(left, here, right);
    let wide = vec2f(pixelsAcross(2 * i32(x), level.picture.x), pixelsAcross(2 * i32(x) + 1, level.picture.x));
    let area = (wide.x + wide.y) * (high.xz + high.yw);
    for (var plane = 0u; plane < PLANES; plane++) {
      let own = cellsAt(plane, run, x);
      let going = high * (wide.x * (1.0 - share.left) * own.left + wide.y * (1.0 - share.right) * own.right);
      let at = level.contentsAbove + plane * cellsAbove() + x;
      levels[at + run.rows.y] = (going.x + going.y) / area.x;
      if (run.isInside.z) { levels[at + run.rows.z] = (going.z + going.w) / area.y; }
    }
  }
}

fn spreadAt(plane: u32, run: Run, x: u32, content: array<vec4f, 3>, share: Pairs) -> Pairs {
  if (plane >= PLANES) { return Pairs(); }
  return spread(content[0], content[1], content[2], share, cellsAt(plane, run, x));
}

fn putBelow(plane: u32, run: Run, x: u32, content: Pairs) {
  if (plane >= PLANES) { return; }
  let at = level.contents + plane * cellsBelow() + (2u * run.row + vec4u(0u, 1u, 2u, 3u)) * level.size.x + 2u * x;
  let isWide = 2u * x + 1u < level.size.x;
  for (var i = 0u; i < 4u; i++) {
    if (run.isInside[i]) {
      levels[at[i]] = content.left[i];
      if (isWide) { levels[at[i] + 1u] = content.right[i]; }
    }
  }
}

@compute @workgroup_size(SIDE, SIDE)
fn down(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  var left: Column;
  var here: Column;
  var right: Column;
  for (var turn = 0u; run.first + turn < run.end + 2u; turn++) {
    left = here;
    here = right;
    right = columnAt(run, columnOf(run, turn));
    if (turn < 2u) { continue; }
    let x = run.first + turn - 2u;
    let share = staying(left, here, right);
    let counts = spreadAt(0u, run, x, array(left.counts, here.counts, right.counts), share);
    let firsts = spreadAt(1u, run, x, array(left.firsts, here.firsts, right.firsts), share);
    let seconds = spreadAt(2u, run, x, array(left.seconds, here.seconds, right.seconds), share);
    if (FROM_PIXELS) {
      putFour(run.rows.y + x, upperOf(counts), upperOf(firsts), upperOf(seconds));
      if (run.isInside.z) { putFour(run.rows.z + x, lowerOf(counts), lowerOf(firsts), lowerOf(seconds)); }
    } else {
      putBelow(0u, run, x, counts);
      putBelow(1u, run, x, firsts);
      putBelow(2u, run, x, seconds);
    }
  }
}

fn upperOf(pairs: Pairs) -> vec4f { return vec4f(pairs.left.x, pairs.right.x, pairs.left.y, pairs.right.y); }
fn lowerOf(pairs: Pairs) -> vec4f { return vec4f(pairs.left.z, pairs.right.z, pairs.left.w, pairs.right.w); }

// Without blur.
@compute @workgroup_size(SIDE, SIDE)
fn plain(@builtin(global_invocation_id) invocation: vec3u) {
  if (any(invocation.xy >= level.above)) { return; }
  let block = invocation.y * level.above.x + invocation.x;
  putFour(block, planeOf(0u, block), planeOf(1u, block), planeOf(2u, block));
}

fn planeOf(plane: u32, block: u32) -> vec4f {
  if (plane >= PLANES) { return vec4f(0.0); }
  return fourOf(layer.base + block, plane);
}
