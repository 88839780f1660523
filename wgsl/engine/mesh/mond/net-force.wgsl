// The net force of what modified gravity adds to Newton's potential, and Newton's field that takes it off (src/engine/mesh/mond/net-force.ts; in
// float64 with the equations: src/engine/reference/mesh/net-force.ts). Sums over the mesh are by parts: −∂m in the place of m ∂.
//   columns  Σ m ∂_i(Φ − Φ_N) and Σ m ∂_i g_j, g = ∂Φ_N, of a column along y        total    of all columns → λ
//   takeOff  Φ += λ · g
//#import "../../../lib/grid.wgsl"
//#expects CELLS, PITCH, POINTS (2 or 4, of the gradient), ISOLATED

struct Planes {
  first: u32, // of the mesh
  count: u32,
  ghostRows: u32, // rows of the field before the slab's own
}

struct Sums {
  force: vec3f,
  response: mat3x3f, // [j][i]
}

@group(0) @binding(0) var<uniform> planes: Planes;
@group(0) @binding(1) var<storage, read_write> field: array<f32>;
@group(0) @binding(2) var<storage, read> newton: array<f32>;
@group(0) @binding(3) var<storage, read> masses: array<f32>;
@group(0) @binding(4) var<storage, read_write> sums: array<Sums>; // [n² z, x]
@group(0) @binding(5) var<storage, read_write> shift: vec4f; // λ [cells]

const GROUP = 64u;
const ALL = 128u;
const SIDE = u32(CELLS);
// Of the response's trace: where mass lies on a line or in a plane it has no inverse.
const LEAST_RESPONSE = 1e-6;

// How far i + step is, on one axis of the mesh.
fn distanceOf(i: u32, step: i32) -> i32 {
  if (ISOLATED) { return clamp(i32(i) + step, 0, CELLS - 1) - i32(i); }
  return i32((i + SIDE + u32(step)) % SIDE) - i32(i);
}

// Words to the plane z + step: the ghosts of a slab, if it has any.
fn toPlane(z: u32, step: i32) -> i32 {
  let inGhosts = !ISOLATED && planes.ghostRows > 0u;
  return CELLS * PITCH * select(distanceOf(z, step), step, inGhosts);
}

fn massSlope(at: u32, steps: vec4i) -> f32 {
  let near = masses[at + u32(steps.z)] - masses[at + u32(steps.y)];
  if (POINTS == 2) { return 0.5 * near; }
  return (8.0 * near - (masses[at + u32(steps.w)] - masses[at + u32(steps.x)])) / 12.0;
}

fn newtons(at: u32, below: i32, above: i32) -> f32 {
  return 0.5 * (newton[at + u32(above)] - newton[at + u32(below)]);
}

// Distances to the neighbours at −2, −1, 1 and 2.
fn rowSteps(i: u32) -> vec4i {
  return vec4i(distanceOf(i, -2), distanceOf(i, -1), distanceOf(i, 1), distanceOf(i, 2));
}

fn planeSteps(z: u32) -> vec4i {
  return vec4i(toPlane(z, -2), toPlane(z, -1), toPlane(z, 1), toPlane(z, 2));
}

// g of a cell: of differences to both sides.
fn newtonAt(at: u32, x: vec4i, y: vec4i, z: vec4i) -> vec3f {
  return vec3f(newtons(at, x.y, x.z), newtons(at, y.y, y.z), newtons(at, z.y, z.z));
}

@compute @workgroup_size(GROUP)
fn columns(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= planes.count * SIDE) { return; }
  let first = planes.ghostRows + i / SIDE * SIDE;
  let x = rowSteps(i % SIDE);
  let z = planeSteps(planes.first + i / SIDE);
  var sum: Sums;
  for (var row = first; row < first + SIDE; row++) {
    let y = PITCH * rowSteps(row - first);
    let at = row * u32(PITCH) + i % SIDE;
    let slope = -vec3f(massSlope(at, x), massSlope(at, y), massSlope(at, z));
    if (all(slope == vec3f(0.0))) { continue; }
    let g = newtonAt(at, x, y, z);
    sum.force += (field[at] - newton[at]) * slope;
    sum.response += mat3x3f(g.x * slope, g.y * slope, g.z * slope);
  }
  sums[planes.first * SIDE + i] = sum;
}

var<workgroup> shared_: array<Sums, ALL>;

fn both(a: Sums, b: Sums) -> Sums {
  return Sums(a.force + b.force, a.response + b.response);
}

@compute @workgroup_size(ALL)
fn total(@builtin(local_invocation_index) local: u32) {
  var sum: Sums;
  for (var i = local; i < SIDE * SIDE; i += ALL) {
    sum = both(sum, sums[i]);
  }
  shared_[local] = sum;
  for (var stride = ALL / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (local < stride) {
      shared_[local] = both(shared_[local], shared_[local + stride]);
    }
  }
  if (local > 0u) { return; }
  let response = shared_[0].response;
  let trace = response[0].x + response[1].y + response[2].z;
  shift = vec4f(0.0);
  if (trace <= 0.0) { return; }
  let force = shared_[0].force / trace;
  let a = response[0] / trace + vec3f(LEAST_RESPONSE, 0.0, 0.0);
  let b = response[1] / trace + vec3f(0.0, LEAST_RESPONSE, 0.0);
  let c = response[2] / trace + vec3f(0.0, 0.0, LEAST_RESPONSE);
  let found = vec3f(dot(force, cross(b, c)), dot(force, cross(c, a)), dot(force, cross(a, b)));
  shift = vec4f(-found / dot(a, cross(b, c)), 0.0);
}

@compute @workgroup_size(GROUP)
fn takeOff(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= planes.count * SIDE) { return; }
  let first = planes.ghostRows + i / SIDE * SIDE;
  let x = rowSteps(i % SIDE);
  let z = planeSteps(planes.first + i / SIDE);
  for (var row = first; row < first + SIDE; row++) {
    let at = row * u32(PITCH) + i % SIDE;
    field[at] += dot(shift.xyz, newtonAt(at, x, PITCH * rowSteps(row - first), z));
  }
}
