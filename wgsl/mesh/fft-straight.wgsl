// A short line per invocation, transformed in straight code on a private array, for adapters that are CPUs. They reach a
// private array's element several times faster where its place is a constant: the transform is written out by
// src/mesh/fft-straight.ts. Points come in and leave in loops, a few at a time: code that reads a buffer is long.
//   points j + C·a → columns of A points, twiddles → rows of C points → frequency k1 + A·k2, at k1·C + k2
//#import "../lib/grid.wgsl"
//#import "fft-lines.wgsl"
//#expects LINES (a workgroup), LENGTH, RADIX_A, RADIX_C, loadPoint, storePoint
//#expects READ_POINTS, WRITTEN_POINTS (half of LENGTH where the others are padding)

const GROUP = LINES;
const TOGETHER = 4u; // loads in flight

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

// Turns for so many points. Of padded lines not a constant to compilers: unrolled, reading 64 points and the transfer
// function takes twice as long to compile, and as long to run. Reading more is quicker unrolled.
fn turnsOf(place: Place, points: u32) -> u32 {
  let turns = points / TOGETHER;
  if (READ_POINTS == WRITTEN_POINTS && READ_POINTS == LENGTH) {
    return turns;
  }
  return select(turns, 0u, skipped(place));
}

fn loadLine(place: Place, exchange: bool) {
  if (skipped(place)) {
    return;
  }
  let turns = turnsOf(place, READ_POINTS);
  for (var turn = 0u; turn < turns; turn++) {
    let i = turn * TOGETHER;
    let a = loadPoint(place, i);
    let b = loadPoint(place, i + 1u);
    let c = loadPoint(place, i + 2u);
    let d = loadPoint(place, i + 3u);
    kept[i] = perhapsExchanged(a, exchange);
    kept[i + 1u] = perhapsExchanged(b, exchange);
    kept[i + 2u] = perhapsExchanged(c, exchange);
    kept[i + 3u] = perhapsExchanged(d, exchange);
  }
}

// Where the transform leaves frequency f.
fn placeOfFrequency(f: u32) -> u32 {
  return f % RADIX_A * RADIX_C + f / RADIX_A;
}

fn recallPoint(i: u32, frequencies: bool, exchange: bool) -> vec2f {
  return perhapsExchanged(kept[select(i, placeOfFrequency(i), frequencies)], exchange);
}

fn storeLine(place: Place, frequencies: bool, exchange: bool) {
  if (skipped(place)) {
    return;
  }
  for (var turn = 0u; turn < WRITTEN_POINTS / TOGETHER; turn++) {
    let i = turn * TOGETHER;
    let a = recallPoint(i, frequencies, exchange);
    let b = recallPoint(i + 1u, frequencies, exchange);
    let c = recallPoint(i + 2u, frequencies, exchange);
    let d = recallPoint(i + 3u, frequencies, exchange);
    storePoint(place, i, a);
    storePoint(place, i + 1u, b);
    storePoint(place, i + 2u, c);
    storePoint(place, i + 3u, d);
  }
}
