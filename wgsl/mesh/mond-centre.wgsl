// Mass on the mesh and its centre [cells], in the same order of additions however the mesh is cut.
//   columns  mass words of a column along y → masses of its cells, (mass, mass · y)
//   centre   all columns → (centre of mass, mass)
//#import "../lib/grid.wgsl"
//#expects CELLS, PITCH

struct Planes {
  first: u32, // of the mesh
  count: u32,
  ghostRows: u32, // rows of the field before the slab's own
}

@group(0) @binding(0) var<uniform> planes: Planes;
@group(0) @binding(1) var<storage, read> field: array<u32>; // low words
@group(0) @binding(2) var<storage, read> high: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec2f>; // [n² z, x]
@group(0) @binding(4) var<storage, read_write> massCentre: vec4f;
@group(0) @binding(5) var<storage, read_write> masses: array<f32>;

const GROUP = 64u;
const ALL = 256u;
const SIDE = u32(CELLS);

@compute @workgroup_size(GROUP)
fn columns(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= planes.count * SIDE) { return; }
  let x = i % SIDE;
  let z = i / SIDE;
  var sum = vec2f(0.0);
  for (var y = 0u; y < SIDE; y++) {
    let at = (planes.ghostRows + z * SIDE + y) * u32(PITCH) + x;
    let low = field[at];
    let mass = f32(high[(z * SIDE + y) * SIDE + x]) * 0x1p32 + f32(low);
    masses[at] = mass;
    sum += vec2f(mass, mass * (f32(y) + 0.5));
  }
  sums[planes.first * SIDE + i] = sum;
}

var<workgroup> shared_: array<vec4f, ALL>;

@compute @workgroup_size(ALL)
fn centre(@builtin(local_invocation_index) local: u32) {
  var sum = vec4f(0.0);
  for (var i = local; i < SIDE * SIDE; i += ALL) {
    let column = sums[i];
    let x = f32(i % SIDE) + 0.5;
    let z = f32(i / SIDE) + 0.5;
    sum += vec4f(column.x * x, column.y, column.x * z, column.x);
  }
  shared_[local] = sum;
  for (var stride = ALL / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (local < stride) {
      shared_[local] += shared_[local + stride];
    }
  }
  if (local == 0u) {
    let total = shared_[0];
    massCentre = vec4f(total.xyz / max(total.w, 1e-30), total.w);
  }
}
