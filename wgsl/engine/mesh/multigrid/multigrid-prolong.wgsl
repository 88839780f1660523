// Trilinear interpolation of the coarser level's correction, added to a level's potential: ¾ of the coarse cell and ¼ of the
// neighbour on each axis. Beside an isolated face the neighbour is −coarseWall times the cell. An invocation walks run/2
// coarse cells along x, 8 fine cells each.
//#import "multigrid-coarse-row.wgsl"
//#import "multigrid-level.wgsl"
//#expects ISOLATED

@group(0) @binding(1) var<storage, read_write> correction: array<f32>;

// Coarse neighbour below and above on one axis.
fn coarseBeside(i: u32, up: bool) -> Beside {
  let last = level.cells / 2u - 1u;
  if (i == select(0u, last, up)) {
    if (ISOLATED) {
      return Beside(i, -level.coarseWall);
    }
    return Beside(select(last, 0u, up), 1.0);
  }
  return Beside(select(i - 1u, i + 1u, up), 1.0);
}

@compute @workgroup_size(GROUP)
fn prolong(invocation: Invocation) {
  let coarse = level.cells / 2u;
  let coarseRow = coarseRowOf(invocation);
  if (!coarseRow.isThere) {
    return;
  }
  let cy = coarseRow.y;
  let cz = coarseRow.z;
  let y = array<Beside, 3>(coarseBeside(cy, false), Beside(cy, 1.0), coarseBeside(cy, true));
  let z = array<Beside, 3>(coarseBeside(cz, false), Beside(cz, 1.0), coarseBeside(cz, true));
  var rows: array<Beside, 9>;
  for (var k = 0u; k < 3u; k++) {
    for (var j = 0u; j < 3u; j++) {
      rows[3u * k + j] = Beside((coarsePlaneOf(z[k].at, coarse) * coarse + y[j].at) * coarse, z[k].weight * y[j].weight / 16.0);
    }
  }

  let half = level.run / 2u;
  let first = coarseRow.part * half;
  let low = coarseBeside(0u, false);
  let high = coarseBeside(coarse - 1u, true);
  let fine = vec4u(
    rowOf(2u * cy, 2u * cz), rowOf(2u * cy + 1u, 2u * cz),
    rowOf(2u * cy, 2u * cz + 1u), rowOf(2u * cy + 1u, 2u * cz + 1u),
  );
  // Interpolated in y and z to the four fine rows, at the coarse cells x - 1, x, x + 1.
  var left: vec4f;
  var here: vec4f;
  for (var step = 0u; step < half + 2u; step++) {
    let x = first + step; // one past the coarse cell that is read
    var at = x - 1u;
    var weight = 1.0;
    if (x == 0u) {
      at = low.at;
      weight = low.weight;
    } else if (x == coarse + 1u) {
      at = high.at;
      weight = high.weight;
    }
    var c: array<f32, 9>;
    for (var k = 0u; k < 9u; k++) {
      c[k] = correction[rows[k].at + at] * rows[k].weight;
    }
    let right = weight * vec4f(
      9.0 * c[4] + 3.0 * (c[3] + c[1]) + c[0],
      9.0 * c[4] + 3.0 * (c[5] + c[1]) + c[2],
      9.0 * c[4] + 3.0 * (c[3] + c[7]) + c[6],
      9.0 * c[4] + 3.0 * (c[5] + c[7]) + c[8],
    );
    if (step >= 2u) {
      let even = 0.75 * here + 0.25 * left;
      let odd = 0.75 * here + 0.25 * right;
      let place = fine + vec4u(2u * (x - 2u));
      for (var k = 0u; k < 4u; k++) {
        potential[place[k]] += even[k];
        potential[place[k] + 1u] += odd[k];
      }
    }
    left = here;
    here = right;
  }
}
