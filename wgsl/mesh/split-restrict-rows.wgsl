// Deposited mass → mass of cells twice as long in x, by cubic B-splines: the first of three passes of restriction. A
// coarse cell takes eight cells. An invocation walks RUN coarse cells of a row.
//#import "../lib/grid.wgsl"
//#import "poisson-mass.wgsl"
//#import "split-weights.wgsl"
//#expects CELLS, COARSE, RUN

@group(0) @binding(0) var<storage, read> field: array<vec2u>; // low words
@group(0) @binding(1) var<storage, read> highWords: array<vec2u>; // [rows][CELLS/2]
@group(0) @binding(2) var<storage, read_write> coarse: array<f32>; // [rows][COARSE]
@group(0) @binding(3) var<uniform> axis: Axis;

const GROUP = 64u;
const RUNS = (COARSE + RUN - 1u) / RUN; // a row

// Two cells of a row; none beyond its ends.
fn massPair(row: u32, pair: u32) -> vec2f {
  if (pair >= CELLS / 2u) {
    return vec2f();
  }
  return massContrast(field[(axis.start + row * axis.pitch) / 2u + pair], highWords[row * (CELLS / 2u) + pair]);
}

@compute @workgroup_size(GROUP)
fn restrictRows(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let row = index / RUNS;
  if (row >= axis.outer) {
    return;
  }
  let first = index % RUNS * RUN;
  // Coarse cell c, its two ghosts counted, reaches the cells 2c − 7 … 2c.
  var near: array<vec2f, 5>;
  for (var k = 0u; k < 4u; k++) {
    near[k] = massPair(row, first + k - 4u);
  }
  for (var step = 0u; step < RUN; step++) {
    let cell = first + step;
    if (cell >= COARSE) {
      break;
    }
    near[4] = massPair(row, cell);
    var sum = near[0].y * SPLINE[0];
    for (var k = 1u; k < 4u; k++) {
      sum = fma(near[k].x, SPLINE[2u * k - 1u], sum);
      sum = fma(near[k].y, SPLINE[2u * k], sum);
    }
    coarse[row * COARSE + cell] = fma(near[4].x, SPLINE[7], sum);
    for (var k = 0u; k < 4u; k++) {
      near[k] = near[k + 1u];
    }
  }
}
