// Mass on the mesh and its centre [cells], in the same order of additions however the mesh is cut.
//   columns  mass words of a part of a column along y → masses of its cells, (mass, mass · y)
//   gather   columns → blocks of the mesh, (mass · x, y and z, mass)
//   centre   blocks → their own centres, and (centre of mass, mass) of all
//#import "../../../lib/grid.wgsl"
//#expects CELLS, PITCH, BLOCKS (along a side)

struct Planes {
  first: u32, // of the mesh
  count: u32,
  ghostRows: u32, // rows of the field before the slab's own
}

@group(0) @binding(0) var<uniform> planes: Planes;
@group(0) @binding(1) var<storage, read> field: array<u32>; // low words
@group(0) @binding(2) var<storage, read> high: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec2f>; // [BLOCKS][n² z, x]
@group(0) @binding(4) var<storage, read_write> massCentre: vec4f;
@group(0) @binding(5) var<storage, read_write> masses: array<f32>;
@group(0) @binding(6) var<storage, read_write> blocks: array<vec4f>; // [z][y][x]

const GROUP = 64u;
const ALL = 256u;
const SIDE = u32(CELLS);

// The first cell of a block along an axis.
fn begin(block: u32) -> u32 {
  return (block * SIDE + BLOCKS - 1u) / BLOCKS;
}

@compute @workgroup_size(GROUP)
fn columns(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let i = index % (planes.count * SIDE);
  let block = index / (planes.count * SIDE);
  if (block >= BLOCKS) { return; }
  let x = i % SIDE;
  let z = i / SIDE;
  var sum = vec2f(0.0);
  for (var y = begin(block); y < begin(block + 1u); y++) {
    let at = (planes.ghostRows + z * SIDE + y) * u32(PITCH) + x;
    let low = field[at];
    let mass = f32(high[(z * SIDE + y) * SIDE + x]) * 0x1p32 + f32(low);
    masses[at] = mass;
    sum += vec2f(mass, mass * (f32(y) + 0.5));
  }
  sums[(block * SIDE + planes.first) * SIDE + i] = sum;
}

@compute @workgroup_size(GROUP)
fn gather(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= BLOCKS * BLOCKS * BLOCKS) { return; }
  let block = vec3u(i % BLOCKS, i / BLOCKS % BLOCKS, i / (BLOCKS * BLOCKS));
  var sum = vec4f(0.0);
  for (var z = begin(block.z); z < begin(block.z + 1u); z++) {
    for (var x = begin(block.x); x < begin(block.x + 1u); x++) {
      let column = sums[(block.y * SIDE + z) * SIDE + x];
      sum += vec4f(column.x * (f32(x) + 0.5), column.y, column.x * (f32(z) + 0.5), column.x);
    }
  }
  blocks[i] = sum;
}

var<workgroup> shared_: array<vec4f, ALL>;

@compute @workgroup_size(ALL)
fn centre(@builtin(local_invocation_index) local: u32) {
  var sum = vec4f(0.0);
  for (var i = local; i < BLOCKS * BLOCKS * BLOCKS; i += ALL) {
    let block = blocks[i];
    sum += block;
    blocks[i] = vec4f(block.xyz / max(block.w, 1e-30), block.w);
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
