// As restrictResidual of multigrid-restrict.wgsl, for the residual of the 19-point Laplacian.
//#import "multigrid-coarse-row.wgsl"
//#import "multigrid-compact.wgsl"

// Rows y - 1 … y + 2 by z - 1 … z + 2 around four rows, y fastest.
var<private> rows: array<Row, 16>;

// What four rows have at x: own values, and the sums of the rows across their faces and edges.
struct Column {
  own: vec4f,
  faces: vec4f,
  edges: vec4f,
}

fn columnAt(x: u32) -> Column {
  var v: array<f32, 16>;
  for (var k = 0u; k < 16u; k++) {
    v[k] = potential[inRow(rows[k], x)];
  }
  return Column(
    vec4f(v[5], v[6], v[9], v[10]),
    vec4f(v[4] + v[6], v[5] + v[7], v[8] + v[10], v[9] + v[11]) + vec4f(v[1] + v[9], v[2] + v[10], v[5] + v[13], v[6] + v[14]),
    vec4f(v[0] + v[2], v[1] + v[3], v[4] + v[6], v[5] + v[7]) + vec4f(v[8] + v[10], v[9] + v[11], v[12] + v[14], v[13] + v[15]),
  );
}

@compute @workgroup_size(GROUP)
fn restrictCompact(invocation: Invocation) {
  let coarse = level.cells / 2u;
  let coarseRow = coarseRowOf(invocation);
  if (!coarseRow.isThere) {
    return;
  }
  let cy = coarseRow.y;
  let cz = coarseRow.z;
  let y = 2u * cy;
  let z = 2u * cz;
  let intoSource = ((cz - slab.coarseFirst) * coarse + cy) * coarse;
  let intoPotential = (coarsePlaneOf(cz, coarse) * coarse + cy) * coarse;
  for (var k = 0; k < 16; k++) {
    rows[k] = rowAround(i32(y) + (k & 3) - 1, i32(z) + (k >> 2) - 1);
  }
  let sourceRow = vec4u(sourceRowOf(y, z), sourceRowOf(y + 1u, z), sourceRowOf(y, z + 1u), sourceRowOf(y + 1u, z + 1u));

  let first = coarseRow.part * level.run;
  let end = first + level.run;
  var before = columnAt(first - 1u);
  var here = columnAt(first);
  var sum = 0.0;
  for (var x = first; x < end; x++) {
    let behind = columnAt(x + 1u);
    let f = vec4f(source[sourceRow.x + x], source[sourceRow.y + x], source[sourceRow.z + x], source[sourceRow.w + x]);
    let around = 2.0 * (before.own + behind.own + here.faces) + (before.faces + behind.faces + here.edges);
    let residual = f - (around - 24.0 * here.own) / 6.0;
    sum += (residual.x + residual.y) + (residual.z + residual.w);
    if ((x & 1u) == 1u) {
      coarseSource[intoSource + x / 2u] = 0.5 * sum;
      coarsePotential[intoPotential + x / 2u] = 0.0;
      sum = 0.0;
    }
    before = here;
    here = behind;
  }
}
