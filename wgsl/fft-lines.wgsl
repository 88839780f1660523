// Lines in a mesh: which ones a dispatch transforms, where they are read and where they are written. Line l is
// number l % lanes of a run of neighbours, and run l / lanes.

struct Lines {
  count: u32,
  // Neighbouring lines in a run, their first points next to each other in memory; 1 for rows.
  lanes: u32,
  // Mode kx of a run's first line.
  firstMode: u32,
  // All in complex numbers.
  sourceStart: u32,
  sourceRun: u32,
  sourceStride: u32,
  targetStart: u32,
  targetRun: u32,
  targetStride: u32,
}
@group(0) @binding(0) var<uniform> lines: Lines;

fn sourceIndex(line: u32, i: u32) -> u32 {
  return lines.sourceStart + line % lines.lanes + line / lines.lanes * lines.sourceRun + i * lines.sourceStride;
}

fn targetIndex(line: u32, i: u32) -> u32 {
  return lines.targetStart + line % lines.lanes + line / lines.lanes * lines.targetRun + i * lines.targetStride;
}
