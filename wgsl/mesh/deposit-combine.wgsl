// Adds up the partial sums of deposit-rows.wgsl: the mass of a cell is the sum over (dy, dz) of what the row of
// particles at (y - dy, z - dz) has for it. `high` holds the carries of the partial sums and receives these ones; they
// are rare, so that it is neither read nor written where there are none.
// An invocation takes every (n / PARTS)-th cell of a row, so neighbours read neighbouring words.
//#import "../lib/grid.wgsl"
//#expects CELLS, ORDER, PITCH

struct Slab {
  first: u32, // first mesh plane (z) of the slab
  count: u32, // mesh planes of the slab
  planes: u32, // planes of particle rows that reach it, from `first - 1` on
}

@group(0) @binding(0) var<uniform> slab: Slab;
@group(0) @binding(1) var<storage, read> partial: array<u32>; // as deposit-rows-cic.wgsl or deposit-rows-tsc.wgsl has it
@group(0) @binding(2) var<storage, read_write> field: array<u32>; // [n^2 rows, PITCH]
@group(0) @binding(3) var<storage, read_write> high: array<u32>; // [n^3]

const GROUP = 64u;
const SIDE = u32(CELLS);
const REACHED = u32(ORDER); // rows that a particle reaches per axis
const PARTS = 8u;

// Word of the k-th sum (REACHED * dz + dy) of a cell of the slab's `cells`.
fn sumWord(k: u32, cell: u32, cells: u32) -> u32 {
  return select(4u * ((k / 4u) * cells + cell) + k % 4u, 8u * cells + cell, k == 8u);
}

@compute @workgroup_size(GROUP)
fn combine(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let stride = SIDE / PARTS;
  let slabRow = index / stride;
  if (slabRow >= SIDE * slab.count) { return; }
  let y = slabRow % SIDE;
  let z = slabRow / SIDE; // in the slab
  let low = REACHED - 2u; // cells that the stencil reaches below the base cell
  var words: array<u32, REACHED * REACHED>; // of x = 0
  for (var dz = 0u; dz < REACHED; dz++) {
    for (var dy = 0u; dy < REACHED; dy++) {
      let k = REACHED * dz + dy;
      let plane = (z + SIDE + 1u + low - dz) % SIDE;
      let row = (y + SIDE + low - dy) % SIDE;
      words[k] = sumWord(k, (plane * SIDE + row) * SIDE, SIDE * SIDE * slab.planes);
    }
  }
  let meshRow = (slab.first + z) * SIDE + y;
  for (var x = index % stride; x < SIDE; x += stride) {
    var sum = 0u;
    var carry = 0u;
    for (var k = 0u; k < REACHED * REACHED; k++) {
      let part = partial[words[k] + select(4u, 1u, k == 8u) * x];
      sum += part;
      carry += select(0u, 1u, sum < part);
    }
    field[meshRow * u32(PITCH) + x] = sum;
    if (carry > 0u) {
      high[meshRow * SIDE + x] += carry;
    }
  }
}
