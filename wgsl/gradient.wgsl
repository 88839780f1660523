// Acceleration on the mesh, a = -grad φ by centred differences (Hockney & Eastwood 1988, sect. 5-4), and φ beside it:
//   2-point  a_i = -(φ_{i+1} - φ_{i-1}) / 2h
//   4-point  a_i = -[8(φ_{i+1} - φ_{i-1}) - (φ_{i+2} - φ_{i-2})] / 12h
// One invocation walks RUN cells along x with the row's values in a sliding window (RUN = 1: one cell, coalesced).
// Periodic axes wrap. On an isolated mesh indices are clamped to the faces: cells whose stencil leaves the mesh hold
// finite values that mean nothing, and no particle inside the mesh reads them.
// Constants: CELLS, PITCH, ISOLATED (lib/cells.wgsl), POINTS (2 or 4), RUN.

@group(0) @binding(0) var<uniform> cellsPerLength: f32; // 1/h
@group(0) @binding(1) var<storage, read> potential: array<f32>; // [n² rows × PITCH]
@group(0) @binding(2) var<storage, read_write> force: array<vec4f>; // [n³] ax, ay, az, φ

const GROUP = 64u;
const SIDE = u32(CELLS);
const RUNS_PER_ROW = SIDE / u32(RUN);

// i + step on one axis of the mesh, |step| <= 2.
fn neighbour(i: u32, step: i32) -> u32 {
  let j = i32(i) + step;
  if (ISOLATED) {
    return u32(clamp(j, 0, CELLS - 1));
  }
  return u32(select(select(j, j - CELLS, j >= CELLS), j + CELLS, j < 0));
}

// Minus the derivative from the values at -2, -1, +1, +2 cells.
fn slope(m2: f32, m1: f32, p1: f32, p2: f32) -> f32 {
  if (POINTS == 2) {
    return (m1 - p1) * (cellsPerLength / 2.0);
  }
  return (8.0 * (m1 - p1) - (m2 - p2)) * (cellsPerLength / 12.0);
}

@compute @workgroup_size(GROUP)
fn gradient(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let invocation = flatIndex(workgroup, workgroups, local, GROUP);
  if (invocation >= SIDE * SIDE * RUNS_PER_ROW) {
    return;
  }
  let first = (invocation % RUNS_PER_ROW) * u32(RUN);
  let rowIndex = invocation / RUNS_PER_ROW;
  let y = rowIndex % SIDE;
  let z = rowIndex / SIDE;
  let row = rowIndex * u32(PITCH);
  let yM1 = (z * SIDE + neighbour(y, -1)) * u32(PITCH);
  let yP1 = (z * SIDE + neighbour(y, 1)) * u32(PITCH);
  let zM1 = (neighbour(z, -1) * SIDE + y) * u32(PITCH);
  let zP1 = (neighbour(z, 1) * SIDE + y) * u32(PITCH);
  let yM2 = (z * SIDE + neighbour(y, -2)) * u32(PITCH);
  let yP2 = (z * SIDE + neighbour(y, 2)) * u32(PITCH);
  let zM2 = (neighbour(z, -2) * SIDE + y) * u32(PITCH);
  let zP2 = (neighbour(z, 2) * SIDE + y) * u32(PITCH);

  // x window: φ at x-2 … x+1 before the step to x, x+2 read there.
  var m2 = potential[row + neighbour(first, -2)];
  var m1 = potential[row + neighbour(first, -1)];
  var here = potential[row + first];
  var p1 = potential[row + neighbour(first, 1)];
  for (var i = 0u; i < u32(RUN); i++) {
    let x = first + i;
    let p2 = potential[row + neighbour(x, 2)];
    var m2y = 0.0;
    var p2y = 0.0;
    var m2z = 0.0;
    var p2z = 0.0;
    if (POINTS == 4) {
      m2y = potential[yM2 + x];
      p2y = potential[yP2 + x];
      m2z = potential[zM2 + x];
      p2z = potential[zP2 + x];
    }
    force[rowIndex * SIDE + x] = vec4f(
      slope(m2, m1, p1, p2),
      slope(m2y, potential[yM1 + x], potential[yP1 + x], p2y),
      slope(m2z, potential[zM1 + x], potential[zP1 + x], p2z),
      here,
    );
    m2 = m1;
    m1 = here;
    here = p1;
    p1 = p2;
  }
}
