// Where a line lives between the stages, for GPUs: LINES lines a workgroup with THREADS invocations each, in
// workgroup memory. Neighbouring invocations touch neighbouring words of the mesh: neighbouring lines when the lines
// are strided, neighbouring points of a line when they are rows (ROWS).
// Rows have a spare point for every RADIX_C, so that the last stage's strided reads fall into different banks.
//#import "../../../lib/grid.wgsl"
//#import "fft-lines.wgsl"
//#expects LINES, THREADS, PITCH (room of a line), ROWS, RADIX_C

const GROUP = LINES * THREADS;

var<workgroup> kept: array<vec2f, PITCH * LINES>;

fn placeOf(invocation: Invocation) -> Place {
  let first = flatWorkgroup(invocation) * LINES;
  let local = invocation.local;
  if (ROWS) {
    return placeOfLine(first + local / THREADS, local % THREADS, local / THREADS * PITCH);
  }
  return placeOfLine(first + local % LINES, local / LINES, local % LINES);
}

fn slotOf(place: Place, i: u32) -> u32 {
  return select(place.slot + i * LINES, place.slot + i + i / RADIX_C, ROWS);
}

fn keep(place: Place, i: u32, v: vec2f) {
  kept[slotOf(place, i)] = v;
}

fn recall(place: Place, i: u32) -> vec2f {
  return kept[slotOf(place, i)];
}

// Lines past the last one take part in the barriers, but are not written.
fn skipped(place: Place) -> bool {
  return false;
}
fn written(place: Place) -> bool {
  return place.line < lines.count;
}

// Every stage's points are there for the next one.
fn exchange() {
  workgroupBarrier();
}
