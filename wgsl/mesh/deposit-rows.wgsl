// Deposit by row windows: an invocation walks WINDOW cells along x of a cell-sorted row of particles, with running sums
// for the rows that its particles reach (ORDER^2 of them: dy, dz), and writes the sums of each cell beside one another. No atomics: each partial sum has one writer, who also reads the particles of the cells beside the
// window. deposit-combine.wgsl then adds up what reaches a cell from its rows.
// The sums fit the scratch for a slab of the mesh at a time, with the neighbouring rows of particles on both sides.
// Sums are 32 bits wide. A window with more particles than could overflow them watches for carries and puts them
// into `high` directly.
//#import "../lib/grid.wgsl"
//#import "../lib/mass.wgsl"
//#import "../particles/position.wgsl"
//#expects CELLS, ORDER, WINDOW, walk

struct Slab {
  first: u32, // first mesh plane (z) of the slab
  count: u32, // mesh planes of the slab
  planes: u32, // planes of particle rows that reach it, from `first - 1` on
}

@group(0) @binding(0) var<uniform> slab: Slab;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(3) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(4) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(6) var<storage, read_write> high: array<atomic<u32>>; // [n^3]

const GROUP = 64u;
const SIDE = u32(CELLS);
// Particles whose sum is below 2^32 for certain.
const SAFE_COUNT = 1023u;

// A window of cells of a row of particles.
struct Window {
  y: u32,
  z: u32,
  plane: u32, // plane of particle rows in the slab
  row: u32, // first cell of the row
  first: u32, // x of the first cell
}

fn offsetsOf(i: u32) -> vec3u {
  return offsetsInCell(positionOf(i));
}

// x of the `step`-th cell of the walk, which starts one cell before the window.
fn walkedX(window: Window, step: u32) -> u32 {
  return (window.first + step + SIDE - 1u) % SIDE;
}

// Carries of the sums at (dy, dz) = (0…, dz) for column x, where `lost` has its top bit set.
fn carry(window: Window, x: u32, dy: u32, dz: u32, lost: u32) {
  if (lost < 0x80000000u) { return; }
  let low = u32(ORDER) - 2u; // cells that the stencil reaches below the base cell
  // The slab's neighbours count carries into their own planes themselves.
  let reached = (window.plane + SIDE - 1u + dz - low) % SIDE;
  if (reached >= slab.count) { return; }
  let z = (window.z + SIDE + dz - low) % SIDE;
  let y = (window.y + SIDE + dy - low) % SIDE;
  atomicAdd(&high[(z * SIDE + y) * SIDE + x], 1u);
}

@compute @workgroup_size(GROUP)
fn rows(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let perRow = SIDE / WINDOW;
  let slabRow = index / perRow;
  if (slabRow >= SIDE * slab.planes) { return; }
  let plane = slabRow / SIDE;
  let y = slabRow % SIDE;
  let z = (slab.first + plane + SIDE - 1u) % SIDE;
  let window = Window(y, z, plane, (z * SIDE + y) * SIDE, (index % perRow) * WINDOW);

  let start = window.row + window.first;
  let before = window.row + walkedX(window, 0u);
  let after = window.row + walkedX(window, WINDOW + 1u);
  let count = cellStart[start + WINDOW] - cellStart[start]
    + cellStart[before + 1u] - cellStart[before] + cellStart[after + 1u] - cellStart[after];
  // The same walk twice: the common one is compiled without the watch for carries.
  if (count <= SAFE_COUNT) {
    walk(window, false);
  } else {
    walk(window, true);
  }
}
