// The deposited mass as 64-bit integers, low word first, in the order of cells: what the ranks of a run add up.
//   gather   field (low) and high → words
//   scatter  words → field and high
//   add      words + field and high → field and high, modulo 2⁶⁴
//#import "../lib/grid.wgsl"
//#expects CELLS, PITCH, GHOST_ROWS (rows of field before the slab's own), RUN (cells along x an invocation)

@group(0) @binding(0) var<storage, read_write> field: array<u32>; // [rows, PITCH]
@group(0) @binding(1) var<storage, read_write> high: array<u32>; // [planes·n²]
@group(0) @binding(2) var<storage, read_write> words: array<vec2u>; // of the cells of a range
@group(0) @binding(3) var<uniform> range: vec3u; // first cell of the range in its slab, how many, and its place in words

const GROUP = 64u;

fn fieldPlace(cell: u32) -> u32 {
  return (cell / u32(CELLS) + u32(GHOST_ROWS)) * u32(PITCH) + cell % u32(CELLS);
}

@compute @workgroup_size(GROUP)
fn gather(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  if (first >= range.y) {
    return;
  }
  let cell = range.x + first;
  let place = fieldPlace(cell);
  for (var i = 0u; i < u32(RUN); i++) {
    words[range.z + first + i] = vec2u(field[place + i], high[cell + i]);
  }
}

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  if (first >= range.y) {
    return;
  }
  let cell = range.x + first;
  let place = fieldPlace(cell);
  for (var i = 0u; i < u32(RUN); i++) {
    let word = words[range.z + first + i];
    field[place + i] = word.x;
    high[cell + i] = word.y;
  }
}

@compute @workgroup_size(GROUP)
fn add(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  if (first >= range.y) {
    return;
  }
  let cell = range.x + first;
  let place = fieldPlace(cell);
  for (var i = 0u; i < u32(RUN); i++) {
    let word = words[range.z + first + i];
    let low = field[place + i] + word.x;
    field[place + i] = low;
    high[cell + i] += word.y + select(0u, 1u, low < word.x);
  }
}
