// The passes of prolongation along z and y, the transpose of restriction: [outer][COARSE][inner] → [outer][points][inner], 
// RUN pairs of points an invocation.
//#import "../lib/grid.wgsl"
//#import "split-pair.wgsl"
//#expects COARSE, RUN

@group(0) @binding(0) var<storage, read_write> coarse: array<f32>; // read only; writable so that both may be parts of one buffer
@group(0) @binding(1) var<storage, read_write> fine: array<f32>;
@group(0) @binding(2) var<uniform> axis: Axis;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn prolongAxis(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let pairs = axis.count / 2u;
  let runs = (pairs + RUN - 1u) / RUN;
  let lane = index % axis.inner;
  let first = index / axis.inner % runs * RUN;
  let outer = index / axis.inner / runs;
  if (outer >= axis.outer) {
    return;
  }
  let start = (outer * COARSE + axis.first / 2u + first) * axis.inner + lane;
  var near = nearCoarse(start, axis.inner);
  for (var step = 0u; step < RUN; step++) {
    if (first + step >= pairs) {
      break;
    }
    near[4] = coarse[start + (step + 4u) * axis.inner];
    let found = prolongedPair(&near);
    let at = (outer * axis.count + 2u * (first + step)) * axis.inner + lane;
    fine[at] = found.x;
    fine[at + axis.inner] = found.y;
  }
}
