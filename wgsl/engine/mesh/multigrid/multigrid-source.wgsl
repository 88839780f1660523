// Deposited mass words → source F = h²·4πGρ, in place in the mesh field: F = unit·(mass − mean of a periodic mesh).
// An invocation takes SHARE pairs of cells, GROUP pairs apart.
//#import "../../../lib/grid.wgsl"
//#import "multigrid-slab.wgsl"
//#import "../poisson/poisson-mass.wgsl"
//#expects CELLS, PITCH

struct Unit {
  source: f32, // 4πG·massUnit/h
}

@group(0) @binding(0) var<uniform> unit: Unit;
@group(0) @binding(1) var<storage, read_write> field: array<vec2u>; // [n rows a plane × PITCH/2]
@group(0) @binding(2) var<storage, read> high: array<vec2u>; // [planes·n²/2]

const GROUP = 64u;
const SHARE = 8u;
const SIDE = u32(CELLS);
const PAIRS = SIDE / 2u;

@compute @workgroup_size(GROUP)
fn loadSource(invocation: Invocation) {
  let first = flatWorkgroup(invocation) * (GROUP * SHARE) + invocation.local;
  let firstRow = sourcePlane(slab.first, SIDE) * SIDE;
  for (var k = 0u; k < SHARE; k++) {
    let i = first + k * GROUP;
    if (i >= slab.planes * SIDE * PAIRS) {
      return;
    }
    let at = (firstRow + i / PAIRS) * (u32(PITCH) / 2u) + i % PAIRS;
    field[at] = bitcast<vec2u>(unit.source * massContrast(field[at], high[i]));
  }
}
