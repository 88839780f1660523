// Residual r = F − Δφ of a level, averaged over 8 cells into the source of the next coarser one: F_H = 4·mean(r) (h² becomes
// (2h)²). The coarse potential becomes 0: a correction to be found. An invocation walks run/2 coarse cells along x, four
// fine rows at a time.
//#import "multigrid-coarse-row.wgsl"
//#import "multigrid-level.wgsl"

@compute @workgroup_size(GROUP)
fn restrictResidual(invocation: Invocation) {
  let n = level.cells;
  let coarse = n / 2u;
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

  // Fine rows (y, z), (y+1, z), (y, z+1), (y+1, z+1), the rows beside the four, and their ends.
  let row = vec4u(rowOf(y, z), rowOf(y + 1u, z), rowOf(y, z + 1u), rowOf(y + 1u, z + 1u));
  let sourceRow = vec4u(sourceRowOf(y, z), sourceRowOf(y + 1u, z), sourceRowOf(y, z + 1u), sourceRowOf(y + 1u, z + 1u));
  var outY: array<Beside, 4>;
  var outZ: array<Beside, 4>;
  var low: array<Beside, 4>;
  var high: array<Beside, 4>;
  var diagonal: vec4f;
  for (var k = 0u; k < 4u; k++) {
    let up = vec2u(k & 1u, k >> 1u);
    outY[k] = besideY(y + up.x, z + up.y, up.x == 1u);
    outZ[k] = besideZ(y + up.x, z + up.y, up.y == 1u);
    low[k] = besideX(y + up.x, z + up.y, false);
    high[k] = besideX(y + up.x, z + up.y, true);
    diagonal[k] = 6.0 + wallAt(y + up.x) + wallAt(z + up.y);
  }

  let first = coarseRow.part * level.run;
  let end = first + level.run;
  var left: vec4f;
  var here: vec4f;
  for (var k = 0u; k < 4u; k++) {
    left[k] = potential[select(row[k] + first - 1u, low[k].at, first == 0u)] * select(1.0, low[k].weight, first == 0u);
    here[k] = potential[row[k] + first];
  }
  var sum = 0.0;
  for (var x = first; x < end; x++) {
    let last = x + 1u == n;
    var right: vec4f;
    var besideInY: vec4f;
    var besideInZ: vec4f;
    var f: vec4f;
    for (var k = 0u; k < 4u; k++) {
      right[k] = potential[select(row[k] + x + 1u, high[k].at, last)] * select(1.0, high[k].weight, last);
      besideInY[k] = potential[outY[k].at + x] * outY[k].weight;
      besideInZ[k] = potential[outZ[k].at + x] * outZ[k].weight;
      f[k] = source[sourceRow[k] + x];
    }
    // Two neighbours of each row are among the four: in y the swap of pairs, in z the swap of halves. Products are added one
    // by one: some compilers would make a sum of theirs into that, others not, and the last bits would differ.
    let around = (left + right) + (here.yxwz + here.zwxy) + besideInY + besideInZ;
    let residual = f - around + (diagonal + wallAt(x)) * here;
    sum += (residual.x + residual.y) + (residual.z + residual.w);
    if ((x & 1u) == 1u) {
      coarseSource[intoSource + x / 2u] = 0.5 * sum;
      coarsePotential[intoPotential + x / 2u] = 0.0;
      sum = 0.0;
    }
    left = here;
    here = right;
  }
}
