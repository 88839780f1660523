// Deposit by tiles, for GPUs: a workgroup sums the particles of a block of TILE_X x TILE x TILE base cells in workgroup
// memory, with the cells beside it that they reach, and adds the sums to the mesh: cells that no other block reaches are
// stored, the others go by atomics. The mesh must be zero before. A block's particles are those of (TILE / 2)^2 pencils'
// parts, each of which lies together in the order of particles.
//#import "../lib/grid.wgsl"
//#import "../lib/cells.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#import "high-words.wgsl"
//#expects CELLS, ORDER, PITCH, TILE_X, TILE, addParticle

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(3) var<storage, read_write> field: array<atomic<u32>>; // [n^2 rows, PITCH]
@group(0) @binding(4) var<storage, read_write> high: array<atomic<u32>>; // [n^3], and marks
@group(0) @binding(5) var<storage, read> cellStart: array<u32>; // [n^3 + 2]

const GROUP = 256u;
const SIDE = u32(CELLS);
const LOW = u32(ORDER) - 2u; // cells that the stencil reaches below the base cell
const BLOCK = vec3u(u32(TILE_X), u32(TILE), u32(TILE));
const BLOCKS = vec3u(SIDE) / BLOCK; // per axis
const REACHED = BLOCK + vec3u(1u + LOW);
const SUMS = REACHED.x * REACHED.y * REACHED.z;
const PENCILS = u32(TILE) / 2u; // of a block, per axis
const PARTS = PENCILS * PENCILS;
// Particles whose sum is below 2^32 for certain.
const SAFE_COUNT = 1023u;

var<workgroup> sums: array<atomic<u32>, SUMS>;
var<workgroup> carries: array<atomic<u32>, SUMS>;
var<workgroup> starts: array<u32, PARTS>; // first particle of each pencil's part
var<workgroup> before: array<u32, PARTS + 1u>; // particles in the parts before each

// Cells count from the first that the block's particles reach.
fn sumAt(cell: vec3u) -> u32 {
  return (cell.z * REACHED.y + cell.y) * REACHED.x + cell.x;
}

fn addTo(cell: vec3u, mass: u32) {
  let at = sumAt(cell);
  let old = atomicAdd(&sums[at], mass);
  if (old > ~mass) { atomicAdd(&carries[at], 1u); }
}

fn addWithoutCarry(cell: vec3u, mass: u32) {
  atomicAdd(&sums[sumAt(cell)], mass);
}

// Puts the sum of a cell into the mesh, to which a cell's neighbours in other blocks may add as well.
fn putSum(at: u32, origin: vec3u) {
  let cell = vec3u(at % REACHED.x, at / REACHED.x % REACHED.y, at / (REACHED.x * REACHED.y));
  let low = atomicLoad(&sums[at]);
  var carry = atomicLoad(&carries[at]);
  let wrapped = (origin + cell + vec3u(SIDE - LOW)) % vec3u(SIDE);
  let row = wrapped.z * SIDE + wrapped.y;
  let word = row * u32(PITCH) + wrapped.x;
  if (all(cell > vec3u(LOW)) && all(cell < BLOCK)) {
    atomicStore(&field[word], low);
  } else if (low > 0u) {
    let old = atomicAdd(&field[word], low);
    carry += select(0u, 1u, old > ~low);
  }
  if (carry > 0u) { addToHigh(row * SIDE + wrapped.x, carry); }
}

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let block = flatWorkgroup(invocation);
  let isBlock = block < BLOCKS.x * BLOCKS.y * BLOCKS.z; // folding the grid may add idle workgroups
  let origin = vec3u(block % BLOCKS.x, block / BLOCKS.x % BLOCKS.y, block / (BLOCKS.x * BLOCKS.y)) * BLOCK;
  let local = invocation.local;
  for (var at = local; at < SUMS; at += GROUP) {
    atomicStore(&sums[at], 0u);
    atomicStore(&carries[at], 0u);
  }
  if (isBlock && local < PARTS) {
    let place = cellPlace(origin + vec3u(0u, 2u * (local % PENCILS), 2u * (local / PENCILS)));
    starts[local] = cellStart[place];
    before[local + 1u] = cellStart[place + 4u * BLOCK.x] - cellStart[place];
  }
  workgroupBarrier();
  if (local == 0u) {
    before[0] = 0u;
    for (var part = 0u; part < PARTS; part++) { before[part + 1u] += before[part]; }
  }
  workgroupBarrier();
  let count = before[PARTS]; // 0 in an idle workgroup
  for (var k = local; k < count; k += GROUP) {
    var part = 0u;
    while (before[part + 1u] <= k) { part++; }
    let i = starts[part] + k - before[part];
    let u = positionOf(i);
    addParticle(baseOf(u).cell - origin, massOf(i), u, count > SAFE_COUNT);
  }
  workgroupBarrier();
  if (!isBlock) { return; }
  for (var at = local; at < SUMS; at += GROUP) { putSum(at, origin); }
}
