// Half a red–black sweep of Gauss–Seidel with over-relaxation: φ += ω[(Σ₆φ − F)/(6 + wall·faces) − φ] for the cells of
// one colour, which have neighbours of the other colour only. An invocation walks `run` cells along x; 2 of them is one
// cell an invocation, coalesced.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-level.wgsl"

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn relax(invocation: Invocation) {
  let n = level.cells;
  let index = flatIndex(invocation, GROUP);
  let runs = n / level.run;
  let rowIndex = index / runs;
  if (rowIndex >= slab.planes * n) {
    return;
  }
  let y = rowIndex % n;
  let z = slab.first + rowIndex / n;
  let row = rowOf(y, z);
  let sourceRow = sourceRowOf(y, z);
  let yLow = besideY(y, z, false);
  let yHigh = besideY(y, z, true);
  let zLow = besideZ(y, z, false);
  let zHigh = besideZ(y, z, true);
  let low = besideX(y, z, false);
  let high = besideX(y, z, true);
  let diagonal = 6.0 + wallAt(y) + wallAt(z);

  let first = (index % runs) * level.run;
  let end = first + level.run;
  var x = first + ((level.colour + y + z) & 1u);
  var left = potential[select(row + x - 1u, low.at, x == 0u)] * select(1.0, low.weight, x == 0u);
  for (; x < end; x += 2u) {
    let last = x + 1u == n;
    let right = potential[select(row + x + 1u, high.at, last)] * select(1.0, high.weight, last);
    let sum = left + right
      + (potential[yLow.at + x] * yLow.weight + potential[yHigh.at + x] * yHigh.weight)
      + (potential[zLow.at + x] * zLow.weight + potential[zHigh.at + x] * zHigh.weight);
    let here = potential[row + x];
    let relaxed = (sum - source[sourceRow + x]) / (diagonal + wallAt(x));
    potential[row + x] = here + level.omega * (relaxed - here);
    left = right;
  }
}
