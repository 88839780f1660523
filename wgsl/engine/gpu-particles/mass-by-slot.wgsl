// The mass units of each slot's particle, for particles in chunks: a slot's id may be any, its mass units in any chunk
// of ids. One chunk of ids at a time.
//#import "../../lib/grid.wgsl"

struct Ids {
  slots: u32, // of the chunk of slots
  first: u32, // id of the chunk of ids
  count: u32,
}

@group(0) @binding(0) var<uniform> chunk: Ids;
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [count] by id
@group(0) @binding(3) var<storage, read_write> bySlot: array<u32>; // [slots]

const GROUP = 64u;
const RUN = 8u;

@compute @workgroup_size(GROUP)
fn massBySlot(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, chunk.slots);
  for (var i = first; i < last; i++) {
    let id = ids[i] - chunk.first;
    if (id < chunk.count) { bySlot[i] = massUnits[id]; }
  }
}
