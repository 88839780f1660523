// Where a grid lies among the cells of its size that fill the box: its first one on each axis.
//#expects FIRST_X, FIRST_Y, FIRST_Z, MOVES

//#if !MOVES
fn firstCell() -> vec3u {
  return vec3u(FIRST_X, FIRST_Y, FIRST_Z);
}
//#end
