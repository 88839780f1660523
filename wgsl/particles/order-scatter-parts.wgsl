// Moves every particle of an isolated run to its slot in cell order, as order-scatter.wgsl does, in two parts, for
// adapters that bind fewer buffers at a time than it takes: the first turns the rank into the slot, the second moves
// the ids by it.
//#import "../lib/grid.wgsl"
//#import "order-key.wgsl"
//#expects moveImage

@group(0) @binding(1) var<storage, read_write> rank: array<u32>; // [N], afterwards the slot
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [N, 3], moved as bits
@group(0) @binding(4) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(5) var<storage, read_write> newVelocities: array<u32>;

@group(0) @binding(0) var<storage, read> slots: array<u32>; // [N]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read_write> newIds: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i >= arrayLength(&rank)) { return; }
  let slot = cellStart[keyOf(i)] + rank[i];
  rank[i] = slot;
  moveImage(i, slot);
  for (var axis = 0u; axis < 3u; axis++) {
    newPositions[3u * slot + axis] = positions[3u * i + axis];
    newVelocities[3u * slot + axis] = velocities[3u * i + axis];
  }
}

@compute @workgroup_size(GROUP)
fn scatterIds(invocation: Invocation) {
  let i = flatIndex(invocation, GROUP);
  if (i < arrayLength(&slots)) { newIds[slots[i]] = ids[i]; }
}
