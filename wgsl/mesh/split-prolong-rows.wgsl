// The last pass of prolongation, along x, added to the potential of the cells, 
// RUN pairs of cells an invocation.
//#import "../lib/grid.wgsl"
//#import "split-pair.wgsl"
//#expects CELLS, COARSE, RUN

struct Rows {
  count: u32,
  // Of the field, in pairs of cells.
  start: u32,
  pitch: u32,
}
@group(0) @binding(0) var<storage, read> coarse: array<f32>; // [rows][COARSE]
@group(0) @binding(1) var<storage, read_write> potential: array<vec2f>;
@group(0) @binding(2) var<uniform> rows: Rows;

const GROUP = 64u;
const RUNS = (CELLS / 2u + RUN - 1u) / RUN; // a row

@compute @workgroup_size(GROUP)
fn prolongRows(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let row = index / RUNS;
  if (row >= rows.count) {
    return;
  }
  let first = index % RUNS * RUN;
  let start = row * COARSE + first;
  var near = nearCoarse(start, 1u);
  for (var step = 0u; step < RUN; step++) {
    if (first + step >= CELLS / 2u) {
      break;
    }
    near[4] = coarse[start + step + 4u];
    potential[rows.start + row * rows.pitch + first + step] += prolongedPair(&near);
  }
}
