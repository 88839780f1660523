// Adaptive blur that loses nothing: a pyramid of cells of 1, 2, 4 … pixels. Where blocks of four cells hold few particles
// their content goes up into the cell above, elsewhere it stays; on the way down each level's cells spread over the four below
// with weights 9 : 3 : 3 : 1 (Chaikin 1974: repeated, the quadratic B-spline), and what stayed is added. Cells hold means over
// their pixels, at the borders of those within the picture: sums are kept.
//#expects SIDE (of a workgroup), MOST_LEVELS, RUN (blocks of an invocation), PLANES (what is blurred together: counts, with velocities, with their squares), planeOf, put, pairOf, putPair

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
  spare: u32,
  mass: f32, // of a count
  particles: f32, // to a count
  few: f32, // particles of a block of which nothing stays; all stays from four times as many on
}

struct Numbers { // of a level
  size: vec2u, // cells
  start: u32, // in `levels`
  isThere: u32,
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<uniform> layer: Layer;
@group(0) @binding(2) var<storage, read_write> levels: array<f32>;
@group(0) @binding(9) var<uniform> numbersOf: array<Numbers, MOST_LEVELS + 1u>; // of the levels, from the pixels up

fn cellsBelow() -> u32 { return level.size.x * level.size.y; }
fn cellsAbove() -> u32 { return level.above.x * level.above.y; }

// A cell above and its block of four below: of columns 2x and 2x + 1, then those of the next row.
struct Block {
  cell: vec2u,
  isThere: bool,
  at: vec4u, // cells below
  isInside: vec4<bool>, // of the picture
}

fn blockAt(cell: vec2u) -> Block {
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
  let upper = pairOf(layer.base + block.at.x, block.isInside.y, plane);
  let lower = pairOf(layer.base + select(block.at.x, block.at.z, block.isInside.z), block.isInside.y, plane);
  return vec4f(upper, select(vec2f(0.0), lower, block.isInside.z));
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

// A run of blocks of a row, which shares the columns of cells that it reads.
struct Run {
  row: u32,
  first: u32,
  end: u32,
  isThere: bool,
  rows: vec3u, // above, at and below it: where they begin
  high: vec3f, // `kept` of these rows
}

fn runOf(run: vec2u) -> Run {
  let row = run.y;
  let first = RUN * run.x;
  let last = level.above.y - 1u;
  let rows = vec3u(max(row, 1u) - 1u, min(row, last), min(row + 1u, last));
  let high = vec3f(
    kept(rows.x, level.above.y, level.picture.y),
    kept(rows.y, level.above.y, level.picture.y),
    kept(rows.z, level.above.y, level.picture.y),
  );
  return Run(row, first, min(first + RUN, level.above.x), row <= last && first < level.above.x, rows * level.above.x, high);
}

// What the three cells of a column spread over the upper and the lower row of a block, but for the weights along the row.
fn upperAndLower(cells: vec3f) -> vec2f {
  let middle = 3.0 * cells.y;
  return vec2f(cells.x + middle, middle + cells.z);
}

fn threeOf(start: u32, rows: vec3u, x: u32) -> vec3f {
  return vec3f(levels[start + rows.x + x], levels[start + rows.y + x], levels[start + rows.z + x]);
}

fn numberColumn(run: Run, x: u32) -> vec2f { return upperAndLower(threeOf(level.numbersAbove, run.rows, x)); }

fn contentColumn(plane: u32, run: Run, x: u32) -> vec2f {
  if (plane >= PLANES) { return vec2f(0.0); }
  let three = threeOf(level.contentsAbove + plane * cellsAbove(), run.rows, x);
  return kept(x, level.above.x, level.picture.x) * upperAndLower(run.high * three);
}

// What columns on the left, at and on the right of a block spread over its four cells.
fn spread(left: vec2f, here: vec2f, right: vec2f) -> vec4f {
  let middle = 3.0 * here;
  return vec4f(left.x + middle.x, middle.x + right.x, left.y + middle.y, middle.y + right.y) / 16.0;
}

struct Column {
  number: vec2f,
  counts: vec2f,
  firsts: vec2f,
  seconds: vec2f,
}

fn columnAt(run: Run, x: u32) -> Column {
  return Column(
    numberColumn(run, x),
    contentColumn(0u, run, x),
    contentColumn(1u, run, x),
    contentColumn(2u, run, x),
  );
}

fn before(x: u32) -> u32 { return max(x, 1u) - 1u; }
fn after(x: u32) -> u32 { return min(x + 1u, level.above.x - 1u); }

// Share of what is in the four cells that stays there: by the particles of the blocks, interpolated, so that none shows.
fn staying(left: vec2f, here: vec2f, right: vec2f) -> vec4f {
  return clamp((spread(left, here, right) / layer.few - 1.0) / 3.0, vec4f(0.0), vec4f(1.0));
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

fn putNumber(l: u32, cell: vec2u, number: f32) {
  let place = numbersOf[l];
  if (place.isThere != 0u && all(cell < place.size)) { levels[place.start + cell.y * place.size.x + cell.x] = number; }
}

// Particles of the block of pixels below a cell of the first level.
fn blockNumber(cell: vec2u) -> f32 {
  if (any(cell >= level.above)) { return 0.0; }
  return layer.particles * dot(pixelsAt(0u, blockAt(cell)), vec4f(1.0));
}

const TILE = 8u; // invocations of a side, of 8 × 8 pixels each
var<workgroup> tile: array<f32, TILE * TILE>;

// Particles of the cells of all levels, a tile of 64 × 64 pixels a workgroup.
@compute @workgroup_size(TILE, TILE)
fn numbers(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let third = TILE * workgroup.xy + local.xy;
  var sum = 0.0;
  for (var i = 0u; i < 4u; i++) {
    let second = 2u * third + vec2u(i & 1u, i >> 1u);
    var four = 0.0;
    for (var k = 0u; k < 4u; k++) {
      let cell = 2u * second + vec2u(k & 1u, k >> 1u);
      let number = blockNumber(cell);
      putNumber(1u, cell, number);
      four += number;
    }
    putNumber(2u, second, four);
    sum += four;
  }
  putNumber(3u, third, sum);
  let me = TILE * local.y + local.x;
  for (var l = 4u; l <= MOST_LEVELS; l++) {
    tile[me] = sum;
    workgroupBarrier();
    let apart = 1u << (l - 4u);
    let isCorner = all((local.xy & vec2u(2u * apart - 1u)) == vec2u(0u));
    if (isCorner) { sum += tile[me + apart] + tile[me + TILE * apart] + tile[me + (TILE + 1u) * apart]; }
    if (isCorner) { putNumber(l, third >> vec2u(l - 3u), sum); }
    workgroupBarrier();
  }
}

@compute @workgroup_size(SIDE, SIDE)
fn up_from_pixels(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  var left = numberColumn(run, before(run.first));
  var here = numberColumn(run, run.first);
  for (var x = run.first; x < run.end; x++) {
    let right = numberColumn(run, after(x));
    let block = blockAt(vec2u(x, run.row));
    let going = (1.0 - staying(left, here, right)) / pixelsOf(block.cell, 2u);
    for (var plane = 0u; plane < PLANES; plane++) {
      levels[level.contentsAbove + plane * cellsAbove() + cellAbove(block)] = dot(pixelsAt(plane, block), going);
    }
    left = here;
    here = right;
  }
}

@compute @workgroup_size(SIDE, SIDE)
fn up(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  var left = numberColumn(run, before(run.first));
  var here = numberColumn(run, run.first);
  for (var x = run.first; x < run.end; x++) {
    let right = numberColumn(run, after(x));
    let block = blockAt(vec2u(x, run.row));
    let going = (1.0 - staying(left, here, right)) * pixelsBelow(block) / pixelsOf(block.cell, 2u * level.scale);
    for (var plane = 0u; plane < PLANES; plane++) {
      let content = belowAt(level.contents + plane * cellsBelow(), block);
      levels[level.contentsAbove + plane * cellsAbove() + cellAbove(block)] = dot(content, going);
    }
    left = here;
    here = right;
  }
}

fn putBelow(plane: u32, spreadContent: vec4f, share: vec4f, block: Block) {
  if (plane >= PLANES) { return; }
  let at = level.contents + plane * cellsBelow();
  let content = spreadContent + share * belowAt(at, block);
  levels[at + block.at.x] = content.x;
  if (block.isInside.y) { levels[at + block.at.y] = content.y; }
  if (block.isInside.z) { levels[at + block.at.z] = content.z; }
  if (block.isInside.w) { levels[at + block.at.w] = content.w; }
}

@compute @workgroup_size(SIDE, SIDE)
fn down(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  var left = columnAt(run, before(run.first));
  var here = columnAt(run, run.first);
  for (var x = run.first; x < run.end; x++) {
    let right = columnAt(run, after(x));
    let block = blockAt(vec2u(x, run.row));
    let share = staying(left.number, here.number, right.number);
    putBelow(0u, spread(left.counts, here.counts, right.counts), share, block);
    putBelow(1u, spread(left.firsts, here.firsts, right.firsts), share, block);
    putBelow(2u, spread(left.seconds, here.seconds, right.seconds), share, block);
    left = here;
    here = right;
  }
}

fn smoothed(plane: u32, spreadContent: vec4f, share: vec4f, block: Block) -> vec4f {
  if (plane >= PLANES) { return vec4f(0.0); }
  return spreadContent + share * pixelsAt(plane, block);
}

@compute @workgroup_size(SIDE, SIDE)
fn down_to_pixels(@builtin(global_invocation_id) invocation: vec3u) {
  let run = runOf(invocation.xy);
  if (!run.isThere) { return; }
  var left = columnAt(run, before(run.first));
  var here = columnAt(run, run.first);
  for (var x = run.first; x < run.end; x++) {
    let right = columnAt(run, after(x));
    let block = blockAt(vec2u(x, run.row));
    let share = staying(left.number, here.number, right.number);
    let counts = smoothed(0u, spread(left.counts, here.counts, right.counts), share, block);
    let firsts = smoothed(1u, spread(left.firsts, here.firsts, right.firsts), share, block);
    let seconds = smoothed(2u, spread(left.seconds, here.seconds, right.seconds), share, block);
    let right0 = vec3f(counts.y, firsts.y, seconds.y);
    putPair(block.at.x, block.isInside.y, vec3f(counts.x, firsts.x, seconds.x), right0);
    if (block.isInside.z) {
      let right1 = vec3f(counts.w, firsts.w, seconds.w);
      putPair(block.at.z, block.isInside.y, vec3f(counts.z, firsts.z, seconds.z), right1);
    }
    left = here;
    here = right;
  }
}

// Without blur.
@compute @workgroup_size(SIDE, SIDE)
fn plain(@builtin(global_invocation_id) invocation: vec3u) {
  if (any(invocation.xy >= level.picture)) { return; }
  let at = invocation.y * level.picture.x + invocation.x;
  var content = vec3f(0.0);
  for (var plane = 0u; plane < PLANES; plane++) { content[plane] = planeOf(layer.base + at, plane); }
  put(at, content);
}
