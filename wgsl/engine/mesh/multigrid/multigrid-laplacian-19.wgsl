// Δ₁₉φ at a cell, for the sums that check the residual.
//#import "multigrid-compact.wgsl"

fn laplacianAt(x: u32, y: u32, z: u32) -> f32 {
  let atCell = vec3f(-24.0, 2.0, 1.0); // in the own row, rows across faces, rows across edges
  let atEnds = vec3f(2.0, 1.0, 0.0);
  var sum = 0.0;
  for (var k = 0; k < 9; k++) {
    let shift = vec2i(k % 3, k / 3) - 1;
    let row = rowAround(i32(y) + shift.x, i32(z) + shift.y);
    let away = abs(shift.x) + abs(shift.y);
    sum += atCell[away] * potential[row.at + x];
    sum += atEnds[away] * (potential[inRow(row, x - 1u)] + potential[inRow(row, x + 1u)]);
  }
  return sum / 6.0;
}
