// The compact Laplacian of 19 points (Collatz 1960, Mehrstellenverfahren) on the finest level:
//   Δ₁₉φ = (2Σ₆φ + Σ₁₂φ − 24φ)/6 = F + Δ₇F/12, fourth order.
//#import "multigrid-level.wgsl"
//#expects ISOLATED

// A row of the mesh or of its ghosts: where x = 0, x = −1 and x = n are.
struct Row {
  at: u32,
  low: u32,
  high: u32,
}

// The row at (y, z), each from −1 to n.
fn rowAround(y: i32, z: i32) -> Row {
  let n = i32(level.cells);
  if (!ISOLATED) {
    let row = rowOf(u32((y + n) % n), u32((z + n) % n));
    return Row(row, row + level.cells - 1u, row);
  }
  if (z < 0 || z == n) {
    let row = ghostRow(select(4u, 5u, z == n), u32(y), level.cells);
    return Row(row, row - 1u, row + level.cells);
  }
  if (y < 0 || y == n) {
    let row = ghostRow(select(2u, 3u, y == n), u32(z), level.cells);
    return Row(row, row - 1u, row + level.cells);
  }
  return Row(rowOf(u32(y), u32(z)), ghostRow(0u, u32(z), level.cells) + u32(y), ghostRow(1u, u32(z), level.cells) + u32(y));
}

// Index of cell x of a row, x from 0 − 1 to n.
fn inRow(row: Row, x: u32) -> u32 {
  return select(select(row.at + x, row.high, x == level.cells), row.low, x == 0xffffffffu);
}
