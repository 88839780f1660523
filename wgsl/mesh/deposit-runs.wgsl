// Deposit by running sums and atomics: an invocation takes RUN consecutive particles and adds their sums to the mesh.
//#import "../lib/grid.wgsl"
//#import "../lib/section.wgsl"
//#import "deposit-add.wgsl"
//#import "deposit-slots.wgsl"
//#expects RUN

const GROUP = 64u;
const_assert RUN < 1024;

fn addTo(cell: vec3u, mass: u32) { addToMesh(cell, mass); }

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let slots = slotsOfSection(arrayLength(&ids));
  let first = slots.x + flatIndex(invocation, GROUP) * u32(RUN);
  depositSlots(first, min(first + u32(RUN), slots.y));
}
