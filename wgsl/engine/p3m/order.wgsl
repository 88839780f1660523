// Particles by cell, and within a cell by id, so that sums over them have the same bits however they came to their slots: a
// particle's rank is the number of smaller ids in its cell. That is less work than the pairs within the cell.
//#import "../../lib/grid.wgsl"
//#import "../../lib/cells.wgsl"
//#import "../gpu-particles/image.wgsl"
//#import "../gpu-particles/position.wgsl"
//#import "../gpu-particles/mass.wgsl"
//#expects CELLS, ISOLATED, STRENGTH (G/h² of a mass unit)
//#expects OF_RANKS (positions are by id, without images, ids by cell, and the place of each id's source is wanted)

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(5) var<storage, read_write> sources: array<vec4u>; // [N] position, and Gm/h² as the bits of a float
@group(0) @binding(6) var<storage, read_write> slots: array<u32>; // [N] of each source; OF_RANKS: the source of each id

const LANES = 64u;

@compute @workgroup_size(LANES)
fn order(invocation: Invocation) {
  let slot = flatIndex(invocation, LANES);
  if (slot >= arrayLength(&ids)) { return; }
  let id = ids[slot];
  let u = positionOf(select(slot, id, OF_RANKS));
  let key = cellKey(u, select(imageOf(slot), 0u, OF_RANKS));
  if (key >= u32(CELLS) * u32(CELLS) * u32(CELLS)) { return; }
  var rank = cellStart[key];
  for (var other = rank; other < cellStart[key + 1u]; other++) { rank += select(0u, 1u, ids[other] < id); }
  // A difference of two places of an isolated box may have 33 bits: their last ones are left out.
  sources[rank] = vec4u(select(u, u >> vec3u(1u), ISOLATED), bitcast<u32>(f32(massOf(slot)) * STRENGTH));
  slots[select(rank, id, OF_RANKS)] = select(slot, rank, OF_RANKS);
}
