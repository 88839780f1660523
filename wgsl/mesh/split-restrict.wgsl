// The passes of restriction along y and z (split-restrict-rows.wgsl): [outer][points][inner] → [outer][COARSE][inner]. Along z
// the points may be a range of the mesh's planes, whose share is added to that of the ranges before.
//#import "../lib/grid.wgsl"
//#import "split-weights.wgsl"
//#expects COARSE, RUN (coarse cells that an invocation walks)

@group(0) @binding(0) var<storage, read_write> source: array<f32>; // read only; writable so that both may be parts of one buffer
@group(0) @binding(1) var<storage, read_write> coarse: array<f32>;
@group(0) @binding(2) var<uniform> axis: Axis;

const GROUP = 64u;
const RUNS = (COARSE + RUN - 1u) / RUN; // an axis

// Zero beyond the range.
fn pointOf(outer: u32, lane: u32, point: u32) -> f32 {
  let i = point - axis.first;
  if (i >= axis.count) {
    return 0.0;
  }
  return source[(outer * axis.count + i) * axis.inner + lane];
}

@compute @workgroup_size(GROUP)
fn restrictAxis(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let lane = index % axis.inner;
  let run = index / axis.inner % RUNS;
  let outer = index / axis.inner / RUNS;
  if (outer >= axis.outer) {
    return;
  }
  // Coarse cell c, its two ghosts counted, reaches the points 2c − 7 … 2c.
  var near: array<f32, 8>;
  for (var k = 0u; k < 6u; k++) {
    near[k] = pointOf(outer, lane, 2u * run * RUN + k - 7u);
  }
  for (var step = 0u; step < RUN; step++) {
    let cell = run * RUN + step;
    if (cell >= COARSE) {
      break;
    }
    near[6] = pointOf(outer, lane, 2u * cell - 1u);
    near[7] = pointOf(outer, lane, 2u * cell);
    let at = (outer * COARSE + cell) * axis.inner + lane;
    var sum = 0.0;
    if (axis.first > 0u && 2u * cell < axis.first + 7u) {
      sum = coarse[at];
    }
    for (var k = 0u; k < 8u; k++) {
      sum = fma(near[k], SPLINE[k], sum);
    }
    coarse[at] = sum;
    for (var k = 0u; k < 6u; k++) {
      near[k] = near[k + 2u];
    }
  }
}
