// The part of a row of the coarser level that an invocation walks, for what goes from one level to the other.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-level.wgsl"

const GROUP = 64u;

struct CoarseRow {
  y: u32,
  z: u32,
  part: u32, // which one along x, each of level.run fine cells
  isThere: bool,
}

fn coarseRowOf(invocation: Invocation) -> CoarseRow {
  let index = flatIndex(invocation, GROUP);
  let coarse = level.cells / 2u;
  let parts = level.cells / level.run;
  let row = index / parts;
  return CoarseRow(row % coarse, slab.transferFirst + row / coarse, index % parts, row < slab.transferPlanes * coarse);
}
