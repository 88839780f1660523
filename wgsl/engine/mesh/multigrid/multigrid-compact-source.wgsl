// Right-hand side of the 19-point Laplacian: F + Δ₇F/12, from the mesh field to a buffer of its own. Nothing lies outside
// an isolated mesh. An invocation walks RUN cells along x.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-slab.wgsl"
//#expects CELLS, ISOLATED, PITCH

@group(0) @binding(0) var<storage, read> field: array<f32>; // [n rows a plane × PITCH]
@group(0) @binding(1) var<storage, read_write> source: array<f32>; // [n² a plane]

const GROUP = 64u;
const RUN = 8u;
const SIDE = u32(CELLS);

// A row of the field, and what it counts: 0 outside an isolated mesh.
struct SourceRow {
  at: u32,
  weight: f32,
}

// The row at (y, z), each from −1 to n.
fn sourceRow(y: i32, z: i32) -> SourceRow {
  let n = i32(CELLS);
  let outside = ISOLATED && (y < 0 || y == n || z < 0 || z == n);
  return SourceRow((sourcePlane(u32((z + n) % n), SIDE) * SIDE + u32((y + n) % n)) * u32(PITCH), select(1.0, 0.0, outside));
}

@compute @workgroup_size(GROUP)
fn compactSource(invocation: Invocation) {
  let index = flatIndex(invocation, GROUP);
  let rowIndex = index / (SIDE / RUN);
  if (rowIndex >= slab.planes * SIDE) {
    return;
  }
  let y = i32(rowIndex % SIDE);
  let z = i32(slab.first + rowIndex / SIDE);
  let row = sourceRow(y, z).at;
  let yLow = sourceRow(y - 1, z);
  let yHigh = sourceRow(y + 1, z);
  let zLow = sourceRow(y, z - 1);
  let zHigh = sourceRow(y, z + 1);
  let edge = select(1.0, 0.0, ISOLATED);

  let first = index % (SIDE / RUN) * RUN;
  var before = field[row + (first + SIDE - 1u) % SIDE] * select(1.0, edge, first == 0u);
  var here = field[row + first];
  for (var x = first; x < first + RUN; x++) {
    let last = x == SIDE - 1u;
    let behind = field[row + select(x + 1u, 0u, last)] * select(1.0, edge, last);
    let sum = (before + behind)
      + (field[yLow.at + x] * yLow.weight + field[yHigh.at + x] * yHigh.weight)
      + (field[zLow.at + x] * zLow.weight + field[zHigh.at + x] * zHigh.weight);
    source[rowIndex * SIDE + x] = (6.0 * here + sum) / 12.0;
    before = here;
    here = behind;
  }
}
