// Deposited mass words → source F = h²·4πGρ, in place in the mesh field: F = unit·(mass − mean of a periodic mesh).
// SHARE pairs of cells an invocation, GROUP pairs apart.
//#import "../lib/grid.wgsl"
//#import "poisson-mass.wgsl"
//#expects CELLS, PITCH

struct Unit {
  source: f32, // 4πG·massUnit/h
}

@group(0) @binding(0) var<uniform> unit: Unit;
@group(0) @binding(1) var<storage, read_write> field: array<vec2u>; // [n² rows × PITCH/2]
@group(0) @binding(2) var<storage, read> high: array<vec2u>; // [n³/2]

const GROUP = 64u;
const SHARE = 8u;
const PAIRS = u32(CELLS) / 2u;

@compute @workgroup_size(GROUP)
fn loadSource(invocation: Invocation) {
  let first = flatWorkgroup(invocation) * (GROUP * SHARE) + invocation.local;
  for (var k = 0u; k < SHARE; k++) {
    let i = first + k * GROUP;
    if (i >= u32(CELLS) * u32(CELLS) * PAIRS) {
      return;
    }
    let at = i / PAIRS * (u32(PITCH) / 2u) + i % PAIRS;
    field[at] = bitcast<vec2u>(unit.source * massContrast(field[at], high[i]));
  }
}
