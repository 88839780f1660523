// Δ₇φ at a cell, for the sums that check the residual.
//#import "multigrid-level.wgsl"

fn laplacianAt(x: u32, y: u32, z: u32) -> f32 {
  let row = rowOf(y, z);
  var low = Beside(row + x - 1u, 1.0);
  if (x == 0u) {
    low = besideX(y, z, false);
  }
  var high = Beside(row + x + 1u, 1.0);
  if (x == level.cells - 1u) {
    high = besideX(y, z, true);
  }
  let yLow = besideY(y, z, false);
  let yHigh = besideY(y, z, true);
  let zLow = besideZ(y, z, false);
  let zHigh = besideZ(y, z, true);
  let sum = potential[low.at] * low.weight + potential[high.at] * high.weight
    + (potential[yLow.at + x] * yLow.weight + potential[yHigh.at + x] * yHigh.weight)
    + (potential[zLow.at + x] * zLow.weight + potential[zHigh.at + x] * zHigh.weight);
  return sum - (6.0 + wallAt(x) + wallAt(y) + wallAt(z)) * potential[row + x];
}
