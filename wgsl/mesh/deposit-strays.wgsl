// Adds the strays that deposit-rows.wgsl has met to the mesh with CIC, by atomics, when the sums of all others are there. A
// walk's are shared by LANES invocations, so that those of a processor's vector have equally many. A carry is looked for
// behind the eight sums: processors go through a branch whether or not anybody takes it, and through two atomics in it.
//#import "../lib/grid.wgsl"
//#import "../lib/cells.wgsl"
//#import "../lib/mass-cic.wgsl"
//#import "../lib/runs.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#import "high-words.wgsl"
//#expects CELLS, PITCH, WINDOW

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(3) var<storage, read_write> field: array<atomic<u32>>; // [n^2 rows, PITCH]
@group(0) @binding(4) var<storage, read_write> high: array<atomic<u32>>; // [n^3], and marks
@group(0) @binding(5) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(6) var<storage, read> strays: array<u32>; // [N] slots, of each walk from its first particle's place on
@group(0) @binding(7) var<storage, read> strayCounts: array<u32>; // [n^3 / 4 / WINDOW] by walks

const GROUP = 64u;
const SIDE = u32(CELLS);

// Row (z n + y) and x of the corners of a base cell, 0 to 7.
fn cornerOf(cell: vec3u, corner: u32) -> vec2u {
  let at = (cell + vec3u(corner & 1u, (corner >> 1u) & 1u, corner >> 2u)) % vec3u(SIDE);
  return vec2u(at.z * SIDE + at.y, at.x);
}

fn addStray(u: vec3u, mass: u32) {
  let cell = baseOf(u).cell;
  let columns = columnsOf(mass, offsetsInCell(u));
  var lost = 0u; // corners with a carry, a bit each
  for (var corner = 0u; corner < 8u; corner++) {
    let part = select(columns.here[corner >> 1u], columns.next[corner >> 1u], (corner & 1u) == 1u);
    let at = cornerOf(cell, corner);
    let before = atomicAdd(&field[at.x * u32(PITCH) + at.y], part);
    lost |= select(0u, 1u << corner, before > ~part);
  }
  while (lost != 0u) {
    let at = cornerOf(cell, firstTrailingBit(lost));
    addToHigh(at.x * SIDE + at.y, 1u);
    lost &= lost - 1u;
  }
}

@compute @workgroup_size(GROUP)
fn addStrays(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let walk = index / LANES;
  if (walk >= SIDE * SIDE * SIDE / (4u * WINDOW)) { return; }
  let first = cellStart[4u * WINDOW * walk];
  let end = first + strayCounts[walk];
  for (var k = first + index % LANES; k < end; k += LANES) {
    addStray(positionOf(strays[k]), massOf(strays[k]));
  }
}
