// A quarter of a sweep of Gauss–Seidel with over-relaxation on the 19-point Laplacian, for the cells with y + z and x + y of
// the parities in `colour` (bit 1, bit 0): none is among the others' 18 neighbours. An invocation walks `run` cells
// along x.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-compact.wgsl"

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn relaxCompact(invocation: Invocation) {
  let n = level.cells;
  let index = flatIndex(invocation, GROUP);
  let runs = n / level.run;
  let pair = index / runs;
  if (pair >= slab.planes * n / 2u) {
    return;
  }
  let z = slab.first + pair / (n / 2u);
  let y = 2u * (pair % (n / 2u)) + ((z + (level.colour >> 1u)) & 1u);
  var faces: array<Row, 4>;
  var edges: array<Row, 4>;
  for (var k = 0; k < 4; k++) {
    let up = 2 * (k & 1) - 1;
    let along = select(vec2i(up, 0), vec2i(0, up), k >= 2);
    faces[k] = rowAround(i32(y) + along.x, i32(z) + along.y);
    edges[k] = rowAround(i32(y) + up, i32(z) + (k & 2) - 1);
  }
  let own = rowAround(i32(y), i32(z));
  let sourceRow = sourceRowOf(y, z);

  let first = (index % runs) * level.run;
  let end = first + level.run;
  var x = first + ((level.colour + y) & 1u);
  // At x - 1 and x + 1: the row's own value, and the sum over the rows across faces.
  var before = vec2f(potential[inRow(own, x - 1u)], 0.0);
  for (var k = 0u; k < 4u; k++) {
    before.y += potential[inRow(faces[k], x - 1u)];
  }
  for (; x < end; x += 2u) {
    var behind = vec2f(potential[inRow(own, x + 1u)], 0.0);
    var beside = 0.0;
    var diagonal = 0.0;
    for (var k = 0u; k < 4u; k++) {
      behind.y += potential[inRow(faces[k], x + 1u)];
      beside += potential[faces[k].at + x];
      diagonal += potential[edges[k].at + x];
    }
    let sum = 2.0 * (before.x + behind.x + beside) + (before.y + behind.y + diagonal);
    let here = potential[own.at + x];
    potential[own.at + x] = here + level.omega * ((sum - 6.0 * source[sourceRow + x]) / 24.0 - here);
    before = behind;
  }
}
