// The solver's potential into the mesh field, where the gradient expects it; a periodic potential loses its mean first
// (SUBTRACT), in the solver's own buffer as well. An invocation takes SHARE pairs of cells, GROUP pairs apart.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-slab.wgsl"
//#expects CELLS, SUBTRACT, POTENTIAL (the place of the mean in `totals`), PITCH

@group(0) @binding(0) var<storage, read_write> field: array<vec2f>; // [n rows a plane × PITCH/2]
@group(0) @binding(1) var<storage, read_write> potential: array<vec2f>; // [n²/2 a plane]
@group(0) @binding(2) var<storage, read_write> totals: array<f32>;

const GROUP = 64u;
const SHARE = 8u;
const SIDE = u32(CELLS);
const PAIRS = SIDE / 2u;

@compute @workgroup_size(GROUP)
fn finish(invocation: Invocation) {
  let first = flatWorkgroup(invocation) * (GROUP * SHARE) + invocation.local;
  let firstRow = sourcePlane(slab.first, SIDE) * SIDE;
  let firstPair = planeOf(slab.first, SIDE) * SIDE * PAIRS;
  for (var k = 0u; k < SHARE; k++) {
    let i = first + k * GROUP;
    if (i >= slab.planes * SIDE * PAIRS) {
      return;
    }
    var value = potential[firstPair + i];
    if (SUBTRACT) {
      value -= totals[POTENTIAL];
      potential[firstPair + i] = value;
    }
    field[(firstRow + i / PAIRS) * (u32(PITCH) / 2u) + i % PAIRS] = value;
  }
}
