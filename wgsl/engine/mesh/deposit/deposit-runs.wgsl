// Deposit by running sums and atomics: an invocation takes RUN consecutive particles and adds their sums to the mesh.
//#import "../../../lib/grid.wgsl"
//#import "deposit-add.wgsl"
//#import "deposit-slots.wgsl"
//#expects RUN, depositedRun (slots of an invocation, the last exclusive)

const GROUP = 64u;
const_assert RUN < 1024;

fn addTo(cell: vec3u, mass: u32) { addToMesh(cell, mass); }

@compute @workgroup_size(GROUP)
fn deposit(invocation: Invocation) {
  let slots = depositedRun(flatIndex(invocation, GROUP), arrayLength(&ids));
  depositSlots(slots.x, slots.y);
}
