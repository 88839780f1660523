// Adds up the partial sums of deposit-rows.wgsl: what the particles of a cell's own pencil and of those beside it have for
// it. `high` holds the carries of the partial sums and receives these. An invocation takes every (n / PARTS)-th x of a
// pencil, so neighbours read neighbouring words.
//#import "../../../lib/grid.wgsl"
//#import "deposit-slab.wgsl"
//#expects CELLS, ORDER, PITCH, GHOSTS (planes of the field before the slab's own)

@group(0) @binding(1) var<storage, read> partial: array<u32>; // [planes, n / 2, n, SPAN, SPAN]
@group(0) @binding(2) var<storage, read_write> field: array<u32>; // [n^2 rows, PITCH], of a slab its own and ghosts
@group(0) @binding(3) var<storage, read_write> high: array<atomic<u32>>; // [n^3], of a slab its own

const GROUP = 64u;
const SIDE = u32(CELLS);
const PENCILS = SIDE / 2u; // per axis
const PARTS = 8u;
const SPAN = u32(ORDER) + 1u; // rows that a pencil's particles reach per axis
const LOW = u32(ORDER) - 2u; // rows before the pencil's own among them

// The pencil that adds to row `own` of a pencil from beside it, 0 or 2 (1: none), and its row.
struct Beside {
  pencil: u32,
  row: u32,
}

fn beside(own: u32) -> Beside {
  if (own == 0u) { return Beside(0u, 2u + LOW); }
  return Beside(1u + LOW, 0u);
}

@compute @workgroup_size(GROUP)
fn combine(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let stride = SIDE / PARTS;
  let slabRow = index / stride;
  if (slabRow >= PENCILS * slab.count) { return; }
  let y = slabRow % PENCILS;
  let z = slabRow / PENCILS; // in the slab
  var rows: array<array<u32, 3>, 3>; // words of the pencils around, at x = 0
  for (var k = 0u; k < 3u; k++) {
    for (var j = 0u; j < 3u; j++) {
      let pencil = (z + k) % PENCILS * PENCILS + (y + PENCILS + j - 1u) % PENCILS;
      rows[k][j] = pencil * SIDE * SPAN * SPAN;
    }
  }
  for (var x = index % stride; x < SIDE; x += stride) {
    let at = SPAN * SPAN * x;
    for (var k = 0u; k < 2u; k++) {
      let otherZ = beside(k);
      for (var j = 0u; j < 2u; j++) {
        let otherY = beside(j);
        var sum = partial[rows[1][1] + at + SPAN * (k + LOW) + j + LOW];
        var carry = 0u;
        if (otherY.pencil != 1u) {
          let part = partial[rows[1][otherY.pencil] + at + SPAN * (k + LOW) + otherY.row];
          sum += part;
          carry += select(0u, 1u, sum < part);
        }
        if (otherZ.pencil != 1u) {
          let part = partial[rows[otherZ.pencil][1] + at + SPAN * otherZ.row + j + LOW];
          sum += part;
          carry += select(0u, 1u, sum < part);
        }
        if (otherY.pencil != 1u && otherZ.pencil != 1u) {
          let part = partial[rows[otherZ.pencil][otherY.pencil] + at + SPAN * otherZ.row + otherY.row];
          sum += part;
          carry += select(0u, 1u, sum < part);
        }
        let meshRow = (2u * (slab.first - slab.origin + z) + k) * SIDE + 2u * y + j;
        field[(meshRow + u32(GHOSTS) * SIDE) * u32(PITCH) + x] = sum;
        if (carry > 0u) {
          atomicAdd(&high[meshRow * SIDE + x], carry);
        }
      }
    }
  }
}
