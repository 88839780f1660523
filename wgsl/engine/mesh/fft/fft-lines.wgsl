// Lines in a mesh: which ones a dispatch transforms, where they are read and where they are written. Line l is
// number l % lanes of a run of neighbours, and run l / lanes.

struct Lines {
  count: u32,
  // Neighbouring lines in a run.
  lanes: u32,
  // Mode kx of a run's first line.
  firstMode: u32,
  // All in complex numbers.
  sourceStart: u32,
  sourceRun: u32,
  sourceLane: u32,
  sourceStride: u32,
  targetStart: u32,
  targetRun: u32,
  targetLane: u32,
  targetStride: u32,
  // Always 0, which compilers don't know.
  zero: u32,
}
@group(0) @binding(0) var<uniform> lines: Lines;

// A line that an invocation works on: where it is, and which part of it the invocation has.
struct Place {
  line: u32,
  run: u32,
  lane: u32,
  // Where the line's first point lies.
  source: u32,
  destination: u32,
  // First row or column of a stage, then every THREADS-th.
  thread: u32,
  // The line's start in workgroup memory.
  slot: u32,
}

fn placeOfLine(line: u32, thread: u32, slot: u32) -> Place {
  let run = line / lines.lanes;
  let lane = line - run * lines.lanes;
  let source = lines.sourceStart + run * lines.sourceRun + lane * lines.sourceLane;
  let destination = lines.targetStart + run * lines.targetRun + lane * lines.targetLane;
  return Place(line, run, lane, source, destination, thread, slot);
}

fn sourceIndex(place: Place, i: u32) -> u32 {
  return place.source + i * lines.sourceStride;
}

fn targetIndex(place: Place, i: u32) -> u32 {
  return place.destination + i * lines.targetStride;
}
