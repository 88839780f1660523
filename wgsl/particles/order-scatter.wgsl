// Moves every particle to its slot in cell order: slot = cellStart[key] + rank, in the other half of the buffers.
// The last part of the counting sort, after order-count.wgsl (or the update, which counts as it moves) and scan.wgsl.
// Keys are recomputed from positions, cheaper than storing them. An invocation takes RUN particles.
//#import "../lib/grid.wgsl"
//#import "../lib/runs.wgsl"
//#import "order-key.wgsl"
//#expects RUN, moveImage, moveVelocity

@group(0) @binding(1) var<storage, read> rank: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(7) var<storage, read_write> newIds: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let taken = runIn(vec2u(0u, arrayLength(&ids)), flatIndex(invocation, GROUP), u32(RUN));
  for (var i = taken.x; i < taken.y; i += LANES) {
    let u = positionOf(i);
    let slot = cellStart[cellKey(baseOf(u).cell, imageOf(i))] + rank[i];
    newPositions[3u * slot] = u.x;
    newPositions[3u * slot + 1u] = u.y;
    newPositions[3u * slot + 2u] = u.z;
    moveVelocity(i, slot);
    newIds[slot] = ids[i];
    moveImage(i, slot);
  }
}
