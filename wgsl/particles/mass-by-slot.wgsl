// The mass units of each slot's particle, for particles in windows: a slot's id may be any, its mass units in any window
// of ids. One window of ids at a time.
//#import "../lib/grid.wgsl"

struct Ids {
  slots: u32, // of the window of slots
  first: u32, // id of the window of ids
  count: u32,
}

@group(0) @binding(0) var<uniform> window: Ids;
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read> massUnits: array<u32>; // [count] by id
@group(0) @binding(3) var<storage, read_write> bySlot: array<u32>; // [slots]

const GROUP = 64u;
const RUN = 8u;

@compute @workgroup_size(GROUP)
fn massBySlot(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * RUN;
  let last = min(first + RUN, window.slots);
  for (var i = first; i < last; i++) {
    let id = ids[i] - window.first;
    if (id < window.count) { bySlot[i] = massUnits[id]; }
  }
}
