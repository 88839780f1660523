// Particles of all ranks for the pairs of P³M (src/engine/p3m/of-ranks.ts), of which `sent` and `positions` are by id:
//   send  positions of this rank's own, those outside an isolated mesh at the box's corner, which is outside, too
//   put   the ids of all into their cells, counted by engine/gpu-particles/order-count.wgsl
//   take  the sums of this rank's own from those of all, which are in the order of sources
//#import "../../lib/grid.wgsl"
//#import "../../lib/cells.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#expects FIRST_ID (of this rank)

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3] by slot; in put of all by id
@group(0) @binding(1) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(2) var<storage, read> ids: array<u32>; // [N] within the rank
@group(0) @binding(3) var<storage, read_write> sent: array<u32>; // [N, 3]
@group(0) @binding(4) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(5) var<storage, read> places: array<u32>; // [all] in its cell, by id
@group(0) @binding(6) var<storage, read_write> inCells: array<u32>; // [all] ids
@group(0) @binding(7) var<storage, read> ranks: array<u32>; // [all] source of each id
@group(0) @binding(8) var<storage, read> sums: array<vec4f>; // [all] of each source
@group(0) @binding(9) var<storage, read_write> fields: array<vec4f>; // [N]

const LANES = 64u;

@compute @workgroup_size(LANES)
fn send(invocation: Invocation) {
  let slot = flatIndex(invocation, LANES);
  if (slot >= arrayLength(&ids)) { return; }
  let u = select(positionOf(slot), vec3u(), imageOf(slot) != 0u);
  let place = 3u * ids[slot];
  sent[place] = u.x;
  sent[place + 1u] = u.y;
  sent[place + 2u] = u.z;
}

@compute @workgroup_size(LANES)
fn put(invocation: Invocation) {
  let id = flatIndex(invocation, LANES);
  if (id >= arrayLength(&places)) { return; }
  inCells[cellStart[cellKey(positionOf(id), 0u)] + places[id]] = id;
}

@compute @workgroup_size(LANES)
fn take(invocation: Invocation) {
  let slot = flatIndex(invocation, LANES);
  if (slot >= arrayLength(&ids)) { return; }
  fields[slot] = sums[ranks[FIRST_ID + ids[slot]]];
}
