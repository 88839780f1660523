// An axis of [outer][points][inner] floats of a mesh, between it and one of cells RATIO times as long, which has ORDER/2
// ghosts beyond either end. Coarse cell c, ghosts counted, reaches the WIDE points from RATIO (c − ORDER) + RATIO/2 on by its B-spline.
//#expects RATIO, ORDER

struct Axis {
  outer: u32,
  inner: u32,
  // Points, of cells: the first and how many.
  first: u32,
  count: u32,
  // Where they begin in the field, and points from one outer to the next: rows of the field are longer.
  start: u32,
  pitch: u32,
  // Of rows that aren't all of a plane: how many are, and points from one plane to the next.
  rows: u32,
  plane: u32,
}

const WIDE = ORDER * RATIO;
