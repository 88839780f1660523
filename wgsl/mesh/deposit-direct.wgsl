// Deposit by atomics: each invocation takes one particle.
//#import "../lib/grid.wgsl"
//#import "../lib/cells.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/mass.wgsl"
//#import "../particles/position.wgsl"
//#import "deposit-add.wgsl"
//#expects HAS_OUTSIDE, ORDER, addParticle, slotsOfSection

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(5) var<storage, read> images: array<u32>; // [N], isolated

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let slots = slotsOfSection(arrayLength(&ids));
  let i = slots.x + flatIndex(invocation, GROUP);
  if (i >= slots.y) { return; }
  let u = positionOf(i);
  let cell = baseOf(u).cell;
  if (HAS_OUTSIDE && !insideMesh(u, cell, imageOf(i))) { return; }
  let corner = select(cell, cell + vec3u(SIDE - 1u), ORDER == 3); // the first cell reached, wrapped when it is added to
  addParticle(corner, massOf(i), u);
}
