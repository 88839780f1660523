// A pass of prolongation, the transpose of restriction: [outer][COARSE][inner] → [outer][points][inner], along x added to the
// potential. Two neighbouring cells get the values of the splines from the five coarse ones that reach either; an invocation
// walks RUN pairs.
//#import "../lib/grid.wgsl"
//#import "split-weights.wgsl"
//#expects COARSE, RUN, ADDS

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
  var near: array<f32, 5>;
  for (var k = 0u; k < 4u; k++) {
    near[k] = coarse[start + k * axis.inner];
  }
  for (var step = 0u; step < RUN; step++) {
    if (first + step >= pairs) {
      break;
    }
    near[4] = coarse[start + (step + 4u) * axis.inner];
    let a = fma(near[0], SPLINE[0], fma(near[1], SPLINE[2], fma(near[2], SPLINE[3], near[3] * SPLINE[1])));
    let b = fma(near[4], SPLINE[0], fma(near[3], SPLINE[2], fma(near[2], SPLINE[3], near[1] * SPLINE[1])));
    let at = axis.start + (outer * axis.pitch + 2u * (first + step)) * axis.inner + lane;
    fine[at] = select(a, fine[at] + a, ADDS);
    fine[at + axis.inner] = select(b, fine[at + axis.inner] + b, ADDS);
    for (var k = 0u; k < 4u; k++) {
      near[k] = near[k + 1u];
    }
  }
}
