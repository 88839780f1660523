// The deposited mass as 64-bit integers, low word first, in the order of cells: what the ranks of a run add up.
//   gather   field (low) and high → words
//   put      words → field and high, with ADDS added to what is there modulo 2⁶⁴
//#import "../../../lib/grid.wgsl"
//#expects ADDS, CELLS, PITCH, GHOST_ROWS (rows of field before the slab's own), RUN (cells along x an invocation, of a row)

@group(0) @binding(0) var<storage, read_write> field: array<u32>; // [rows, PITCH]
@group(0) @binding(1) var<storage, read_write> high: array<u32>; // [planes·n²]
@group(0) @binding(2) var<storage, read_write> words: array<vec2u>; // of the cells of a range
@group(0) @binding(3) var<uniform> range: vec3u; // first cell of the range in its slab, how many, and its place in words

const GROUP = 64u;

// RUN cells of an invocation: places of the first one. None where they lie behind the range.
struct Cells {
  present: bool,
  inField: u32,
  inHigh: u32,
  inWords: u32,
}

fn cellsOf(invocation: Invocation) -> Cells {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  let cell = range.x + first;
  let place = (cell / u32(CELLS) + u32(GHOST_ROWS)) * u32(PITCH) + cell % u32(CELLS);
  return Cells(first < range.y, place, cell, range.z + first);
}

@compute @workgroup_size(GROUP)
fn gather(invocation: Invocation) {
  let cells = cellsOf(invocation);
  if (!cells.present) { return; }
  for (var i = 0u; i < u32(RUN); i++) {
    words[cells.inWords + i] = vec2u(field[cells.inField + i], high[cells.inHigh + i]);
  }
}

@compute @workgroup_size(GROUP)
fn put(invocation: Invocation) {
  let cells = cellsOf(invocation);
  if (!cells.present) { return; }
  for (var i = 0u; i < u32(RUN); i++) {
    var word = words[cells.inWords + i];
    if (ADDS) {
      let low = field[cells.inField + i] + word.x;
      word = vec2u(low, high[cells.inHigh + i] + word.y + select(0u, 1u, low < word.x));
    }
    field[cells.inField + i] = word.x;
    high[cells.inHigh + i] = word.y;
  }
}
