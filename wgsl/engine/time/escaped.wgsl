// The monopole of the mass inside an isolated mesh, in which the particles fall that have escaped from it: its mass
// and centre of mass by integer sums, so that they don't depend on the order of the particles.
//   sum     adds up mass units and mass units times position of the particles inside, RUN an invocation; returns at once
//           where none is outside, if there are no other ranks (ALONE)
//   finish  divides, and leaves the totals zero for the next time
//#import "../../lib/grid.wgsl"
//#import "../../physics/potentials/field.wgsl"
//#import "../../lib/sums.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#import "../gpu-particles/position.wgsl"
//#expects ALONE, OUTSIDE (place of the first outside among the cell starts), RUN

@group(0) @binding(0) var<uniform> externalForces: ExternalForces;
@group(0) @binding(1) var<storage, read> cellStart: array<u32>; // OUTSIDE: first outside, OUTSIDE + 1: N
@group(0) @binding(2) var<storage, read> positions: array<u32>; // [N, 3], sorted by cell; of a chunk
@group(0) @binding(3) var<storage, read> ids: array<u32>;
@group(0) @binding(4) var<storage, read> massUnits: array<u32>; // by id, or in chunks by slot
@group(0) @binding(5) var<storage, read_write> totals: array<atomic<u32>>; // mass, mass·x, y, z: 3 words each
@group(0) @binding(6) var<storage, read_write> monopole: Monopole;
@group(0) @binding(7) var<uniform> chunk: vec2u; // first slot of the chunk, and how many

const GROUP = 64u;
const QUANTITIES = 4u;

@compute @workgroup_size(GROUP)
fn sum(invocation: Invocation) {
  if (ALONE && cellStart[OUTSIDE] >= cellStart[OUTSIDE + 1]) { return; }
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  let inside = max(cellStart[OUTSIDE], chunk.x) - chunk.x;
  let last = min(first + u32(RUN), min(inside, chunk.y));
  var sums: Sums;
  for (var slot = first; slot < last; slot++) {
    let mass = massOf(slot);
    let u = positionOf(slot);
    sums[0] = plus(sums[0], vec2u(mass, 0u));
    for (var axis = 0u; axis < 3u; axis++) {
      // 24 bits of the position, as many as its float32 centre of mass can use.
      sums[1u + axis] = plus(sums[1u + axis], product(mass, u[axis] >> 8u));
    }
  }
  addToTotals(&sums, 0u, invocation.local);
}

@compute @workgroup_size(1)
fn finish() {
  let mass = totalAsFloat(0u);
  let moment = vec3f(totalAsFloat(3u), totalAsFloat(6u), totalAsFloat(9u));
  monopole.centre = vec3u(moment / max(mass, 1.0)) << vec3u(8u);
  monopole.strength = mass * externalForces.massUnit;
  for (var word = 0u; word < 3u * QUANTITIES; word++) { atomicStore(&totals[word], 0u); }
}
