// Acceleration on the mesh, a = -grad φ by centred differences (Hockney & Eastwood 1988, sect. 5-4):
//   2-point  a_i = -(φ_{i+1} - φ_{i-1}) / 2h
//   4-point  a_i = -[8(φ_{i+1} - φ_{i-1}) - (φ_{i+2} - φ_{i-2})] / 12h
// One invocation walks RUN cells along x in BLOCK × BLOCK rows, with these rows' values kept along x and those
// at the current x shared among the rows (RUN = BLOCK = 1: one cell, coalesced).
// On a mesh that doesn't wrap indices are clamped to the faces: no particle inside the mesh reads the cells there. Of a mesh
// in slabs a dispatch takes one, whose ghost planes have been filled; of a mesh in one piece those that are read, READ cells
// of each axis from READ_FIRST on.
//#import "../../../lib/section.wgsl"
//#expects CELLS, READ_FIRST, READ, RUN, BLOCK, POINTS (2 or 4), WRAPS, PITCH, putForce

@group(0) @binding(0) var<uniform> cellsPerLength: f32; // 1/h
@group(0) @binding(1) var<storage, read> potential: array<f32>; // [n² rows × PITCH], of a slab with GHOSTS planes on either side

const GROUP = 64u;
const SIDE = u32(CELLS);
const RUNS_PER_ROW = READ / u32(RUN);
const BLOCKS = READ / u32(BLOCK); // per axis
const GHOSTS = 2u;
const HALO = 2; // cells around the block that its arrays have room for
const REACHED = POINTS / 2;
const WIDTH = BLOCK + 2 * HALO;

// A value for each row of the block, (z, y).
alias Block = array<array<f32, BLOCK>, BLOCK>;

// i + step on one axis of the mesh, |step| <= 3.
fn neighbour(i: u32, step: i32) -> u32 {
  let j = i32(i) + step;
  if (!WRAPS) {
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

fn isBetween(i: i32, low: i32, high: i32) -> bool {
  return i >= low && i < high;
}

@compute @workgroup_size(GROUP)
fn gradient(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let slab = slabPlanes();
  if (index >= BLOCKS * (min(slab.y, READ) / u32(BLOCK)) * RUNS_PER_ROW) {
    return;
  }
  let first = READ_FIRST + (index % RUNS_PER_ROW) * u32(RUN);
  let block = index / RUNS_PER_ROW;
  let y0 = READ_FIRST + (block % BLOCKS) * u32(BLOCK);
  let localZ = READ_FIRST + (block / BLOCKS) * u32(BLOCK);
  let z0 = slab.x + localZ;
  // Where the rows of block and halo begin, (z, y).
  var rows: array<array<u32, WIDTH>, WIDTH>;
  for (var k = 0; k < WIDTH; k++) {
    for (var j = 0; j < WIDTH; j++) {
      rows[k][j] = (planeInSlab(neighbour(z0, k - HALO), GHOSTS) * SIDE + neighbour(y0, j - HALO)) * u32(PITCH);
    }
  }

  // The block's rows: φ at x-2 … x+1 before the step to x, x+2 read there.
  var m2: Block;
  var m1: Block;
  var here: Block;
  var p1: Block;
  for (var k = 0; k < BLOCK; k++) {
    for (var j = 0; j < BLOCK; j++) {
      let row = rows[k + HALO][j + HALO];
      m2[k][j] = potential[row + neighbour(first, -2)];
      m1[k][j] = potential[row + neighbour(first, -1)];
      here[k][j] = potential[row + first];
      p1[k][j] = potential[row + neighbour(first, 1)];
    }
  }
  // Drivers don't unroll it, as its bounds aren't constants: unrolled it compiles for 3.6 s on llvmpipe.
  for (var x = first; x < first + u32(RUN); x++) {
    let farX = neighbour(x, 2);
    var v: array<array<f32, WIDTH>, WIDTH>; // φ at x in block and halo; the corners aren't wanted
    for (var k = 0; k < WIDTH; k++) {
      for (var j = 0; j < WIDTH; j++) {
        let inY = isBetween(j, HALO, HALO + BLOCK);
        let inZ = isBetween(k, HALO, HALO + BLOCK);
        let nearY = isBetween(j, HALO - REACHED, HALO + BLOCK + REACHED);
        let nearZ = isBetween(k, HALO - REACHED, HALO + BLOCK + REACHED);
        if (inY && inZ) {
          v[k][j] = here[k - HALO][j - HALO];
        } else if ((inY && nearZ) || (inZ && nearY)) {
          v[k][j] = potential[rows[k][j] + x];
        } else {
          v[k][j] = 0.0;
        }
      }
    }
    for (var k = 0; k < BLOCK; k++) {
      for (var j = 0; j < BLOCK; j++) {
        let y = j + HALO;
        let z = k + HALO;
        let p2 = potential[rows[z][y] + farX];
        let cell = ((localZ + u32(k)) * SIDE + y0 + u32(j)) * SIDE + x;
        let force = vec3f(
          slope(m2[k][j], m1[k][j], p1[k][j], p2),
          slope(v[z][y - 2], v[z][y - 1], v[z][y + 1], v[z][y + 2]),
          slope(v[z - 2][y], v[z - 1][y], v[z + 1][y], v[z + 2][y]),
        );
        putForce(cell, force);
        m2[k][j] = m1[k][j];
        m1[k][j] = here[k][j];
        here[k][j] = p1[k][j];
        p1[k][j] = p2;
      }
    }
  }
}
