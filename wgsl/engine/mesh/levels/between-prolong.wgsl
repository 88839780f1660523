// A pass of prolongation, the transpose of restriction: [outer][COARSE][inner] → [outer][points][inner], along x added to the
// potential. RATIO neighbouring cells get the values of the splines from the ORDER + 1 coarse ones that reach any of them; an
// invocation walks RUN times as many.
//#import "../../../lib/grid.wgsl"
//#import "between-axis.wgsl"
//#expects COARSE, RUN, ADDS, RATIO, ORDER, SPLINE

@group(0) @binding(0) var<storage, read_write> coarse: array<f32>; // read only; writable so that both may be parts of one buffer
@group(0) @binding(1) var<storage, read_write> fine: array<f32>;
@group(0) @binding(2) var<uniform> axis: Axis;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn prolongAxis(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let steps = axis.count / RATIO;
  let runs = (steps + RUN - 1u) / RUN;
  let lane = index % axis.inner;
  let first = index / axis.inner % runs * RUN;
  let outer = index / axis.inner / runs;
  if (outer >= axis.outer) {
    return;
  }
  let start = (outer * COARSE + axis.first / RATIO + first) * axis.inner + lane;
  var near: array<f32, ORDER + 1u>;
  for (var k = 0u; k < ORDER; k++) {
    near[k] = coarse[start + k * axis.inner];
  }
  for (var step = 0u; step < RUN; step++) {
    if (first + step >= steps) {
      break;
    }
    near[ORDER] = coarse[start + (step + ORDER) * axis.inner];
    let point = outer / axis.rows * axis.plane + outer % axis.rows * axis.pitch + RATIO * (first + step);
    let at = axis.start + point * axis.inner + lane;
    for (var m = 0u; m < RATIO; m++) {
      // The cells of the lower half are reached by the first ones, those of the upper half by the last.
      let isUpper = m >= RATIO / 2u;
      let place = select(m + RATIO / 2u, m - RATIO / 2u, isUpper);
      var sum = 0.0;
      for (var k = 0u; k < ORDER; k++) {
        let q = select(ORDER - 1u - k, k, isUpper); // from the middle outwards, so that mirrored meshes have mirrored bits
        let value = near[q + select(0u, 1u, isUpper)];
        let weight = SPLINE[place + RATIO * (ORDER - 1u - q)];
        if (k == 0u) { sum = value * weight; } else { sum = fma(value, weight, sum); }
      }
      let cell = at + m * axis.inner;
      fine[cell] = select(sum, fine[cell] + sum, ADDS);
    }
    for (var k = 0u; k < ORDER; k++) {
      near[k] = near[k + 1u];
    }
  }
}
