// Where a line lives between the stages, for adapters that run an invocation's loop well (a CPU's): a line per
// invocation, in a private array.
//#import "../../../lib/grid.wgsl"
//#import "fft-lines.wgsl"
//#expects LINES (a workgroup), LENGTH

const THREADS = 1u; // invocations a line
const GROUP = LINES;

var<private> kept: array<vec2f, LENGTH>;

fn placeOf(invocation: Invocation) -> Place {
  return placeOfLine(flatIndex(invocation, GROUP), 0u, 0u);
}

fn keep(place: Place, i: u32, v: vec2f) {
  kept[i] = v;
}

fn recall(place: Place, i: u32) -> vec2f {
  return kept[i];
}

// Lines past the last one end here, and so every other one may be written.
fn skipped(place: Place) -> bool {
  return place.line >= lines.count;
}
fn written(place: Place) -> bool {
  return true;
}

// Every stage's points are there for the next one.
fn exchange() {}
