// A short line per invocation, transformed in straight code on a private array, for adapters that are CPUs. They reach a
// private array's element several times faster where its place is a constant: the transform is written out by
// src/mesh/fft-straight.ts. Points come in and leave in loops, a few at a time, because code that reads a buffer is long;
// branches lead from the loop's turn to constant places.
//   points j + C·a → columns of A points, twiddles → rows of C points → frequency k1 + A·k2, at k1·C + k2
//#import "../lib/grid.wgsl"
//#import "fft-lines.wgsl"
//#expects LINES (a workgroup), LENGTH, RADIX_A, RADIX_B, RADIX_C, loadFour, storePoint
//#expects READ_POINTS, WRITTEN_POINTS (half of LENGTH where the others are padding)
//#expects keepMoved, recallMoved (the points of a turn, into the array and out of it)

const GROUP = LINES;
const TOGETHER = 4u; // points on their way

var<private> moved: array<vec2f, TOGETHER>;

// A row of real numbers has one mode more than points.
var<private> kept: array<vec2f, LENGTH + 1>;

fn placeOf(invocation: Invocation) -> Place {
  return placeOfLine(flatIndex(invocation, GROUP), 0u, 0u);
}

// Lines past the last one compute with nothing: a condition around all would cost every access to the array.
fn skipped(place: Place) -> bool {
  return place.line >= lines.count;
}
fn written(place: Place) -> bool {
  return true;
}

// Real and imaginary part are exchanged around an inverse transform.
fn perhapsExchanged(v: vec2f, exchange: bool) -> vec2f {
  return select(v, v.yx, exchange);
}

// Turns for so many points: none for a line past the last one. Not a constant to compilers, which would write all of them
// out: a processor takes such code from its slower caches.
fn turnsOf(place: Place, points: u32) -> u32 {
  return select(points / TOGETHER, 0u, skipped(place));
}

fn loadLine(place: Place, exchange: bool) {
  let turns = turnsOf(place, READ_POINTS);
  for (var turn = 0u; turn < turns; turn++) {
    let i = turn * TOGETHER;
    let points = loadFour(place, i);
    moved[0] = perhapsExchanged(points[0], exchange);
    moved[1] = perhapsExchanged(points[1], exchange);
    moved[2] = perhapsExchanged(points[2], exchange);
    moved[3] = perhapsExchanged(points[3], exchange);
    keepMoved(turn);
  }
  // Never for a line that is written. An array whose places were all constants would be so many variables to compilers, and
  // every branch a choice for each of them.
  if (turns == 0u) {
    kept[place.lane % LENGTH] = vec2f();
  }
}

fn storeLine(place: Place, exchange: bool) {
  let turns = turnsOf(place, WRITTEN_POINTS);
  for (var turn = 0u; turn < turns; turn++) {
    let i = turn * TOGETHER;
    recallMoved(turn);
    storePoint(place, i, perhapsExchanged(moved[0], exchange));
    storePoint(place, i + 1u, perhapsExchanged(moved[1], exchange));
    storePoint(place, i + 2u, perhapsExchanged(moved[2], exchange));
    storePoint(place, i + 3u, perhapsExchanged(moved[3], exchange));
  }
}

// Where the transform leaves frequency f.
fn placeOfFrequency(f: u32) -> u32 {
  let row = f % (RADIX_A * RADIX_B);
  return (row % RADIX_A * RADIX_B + row / RADIX_A) * RADIX_C + f / (RADIX_A * RADIX_B);
}
