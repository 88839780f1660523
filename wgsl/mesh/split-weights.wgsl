// Cubic B-splines of cells twice as long, 2/3 − d² + d³/2 up to distance 1 and (2 − d)³/6 beyond, at the eight cells that
// each reaches: at distances 7/4, 5/4, 3/4, 1/4 and back.
const SPLINE = array(
  0.0026041666666666665f, 0.0703125f, 0.3151041666666667f, 0.6119791666666666f,
  0.6119791666666666f, 0.3151041666666667f, 0.0703125f, 0.0026041666666666665f,
);

// An axis of [outer][points][inner] floats.
struct Axis {
  outer: u32,
  inner: u32,
  // Points, of cells: the first and how many.
  first: u32,
  count: u32,
  // Where they begin in the field, and points from one outer to the next: rows of the field are longer.
  start: u32,
  pitch: u32,
}
