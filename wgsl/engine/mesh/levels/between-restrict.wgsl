// A pass of restriction along an axis by B-splines: [outer][points][inner] → [outer][COARSE][inner]. Along z the points
// may be a range of the mesh's planes, whose share is added to that of the ranges before.
//#import "../../../lib/grid.wgsl"
//#import "between-axis.wgsl"
//#expects COARSE, RUN (coarse cells that an invocation walks), RATIO, SPLINE (WIDE weights), pointOf (of outer, lane, point)

@group(0) @binding(0) var<storage, read_write> coarse: array<f32>;
@group(0) @binding(1) var<uniform> axis: Axis;

const GROUP = 64u;
const RUNS = (COARSE + RUN - 1u) / RUN; // an axis

@compute @workgroup_size(GROUP)
fn restrictAxis(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let lane = index % axis.inner;
  let run = index / axis.inner % RUNS;
  let outer = index / axis.inner / RUNS;
  if (outer >= axis.outer) {
    return;
  }
  // Points before the first wrap to numbers beyond the last.
  let first = RATIO * run * RUN + RATIO / 2u - WIDE;
  var near: array<f32, WIDE>;
  for (var k = 0u; k < WIDE - RATIO; k++) {
    near[k] = pointOf(outer, lane, first + k);
  }
  for (var step = 0u; step < RUN; step++) {
    let cell = run * RUN + step;
    if (cell >= COARSE) {
      break;
    }
    for (var k = WIDE - RATIO; k < WIDE; k++) {
      near[k] = pointOf(outer, lane, first + RATIO * step + k);
    }
    let at = (outer * COARSE + cell) * axis.inner + lane;
    var sum = 0.0;
    if (axis.first > 0u && RATIO * cell + RATIO / 2u < axis.first + WIDE) {
      sum = coarse[at];
    }
    for (var k = 0u; k < WIDE; k++) {
      sum = fma(near[k], SPLINE[k], sum);
    }
    coarse[at] = sum;
    for (var k = 0u; k < WIDE - RATIO; k++) {
      near[k] = near[k + RATIO];
    }
  }
}
