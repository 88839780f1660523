// A level of the multigrid hierarchy: potential [n³ cells, on the finest level of an isolated mesh then 6·(n+2)² ghosts of
// the faces −x, +x, −y, +y, −z, +z, with those beyond the edges; of a slab: multigrid-slab.wgsl], x fastest, the lower of a
// face's axes along its rows; source F = h²·4πGρ (the Laplacian is taken with a cell side of 1) in rows of sourcePitch.
// Beside an isolated face are the ghosts on the finest level (gain 1, wall 0), on coarser ones −wall·(cell inside): that goes
// into the diagonal, 6 + wall·faces.
//#import "multigrid-slab.wgsl"
//#expects ISOLATED

struct Level {
  cells: u32,
  sourcePitch: u32,
  run: u32, // cells along x per invocation, even
  colour: u32, // 0: cells with x + y + z even
  wall: f32,
  gain: f32,
  omega: f32,
  coarseWall: f32, // wall of the next coarser level
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<storage, read_write> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> potential: array<f32>;
// Arrays of the next coarser level.
@group(0) @binding(3) var<storage, read_write> coarseSource: array<f32>;
@group(0) @binding(4) var<storage, read_write> coarsePotential: array<f32>;

// Where the values beside a cell or a row are, and what they count.
struct Beside {
  at: u32,
  weight: f32,
}

fn rowOf(y: u32, z: u32) -> u32 {
  return (planeOf(z, level.cells) * level.cells + y) * level.cells;
}

fn sourceRowOf(y: u32, z: u32) -> u32 {
  return (sourcePlane(z, level.cells) * level.cells + y) * level.sourcePitch;
}

// A neighbour across the mesh's edge: the other side of a periodic mesh, or a ghost.
fn across(opposite: u32, own: u32, ghost: u32) -> Beside {
  if (!ISOLATED) {
    return Beside(opposite, 1.0);
  }
  if (level.gain == 0.0) {
    return Beside(own, 0.0);
  }
  return Beside(ghost, level.gain);
}

fn besideX(y: u32, z: u32, up: bool) -> Beside {
  let row = rowOf(y, z);
  let last = row + level.cells - 1u;
  return across(select(last, row, up), select(row, last, up), ghostRow(select(0u, 1u, up), z, level.cells) + y);
}

fn besideY(y: u32, z: u32, up: bool) -> Beside {
  let last = level.cells - 1u;
  if (y == select(0u, last, up)) {
    return across(rowOf(select(last, 0u, up), z), rowOf(y, z), ghostRow(select(2u, 3u, up), z, level.cells));
  }
  return Beside(rowOf(select(y - 1u, y + 1u, up), z), 1.0);
}

fn besideZ(y: u32, z: u32, up: bool) -> Beside {
  let last = level.cells - 1u;
  if (z == select(0u, last, up)) {
    return across(rowOf(y, select(last, 0u, up)), rowOf(y, z), ghostRow(select(4u, 5u, up), y, level.cells));
  }
  return Beside(rowOf(y, select(z - 1u, z + 1u, up)), 1.0);
}

// wall at a face cell of one axis, 0 inside.
fn wallAt(i: u32) -> f32 {
  return select(0.0, level.wall, i == 0u || i == level.cells - 1u);
}
