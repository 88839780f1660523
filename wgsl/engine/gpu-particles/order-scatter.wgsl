// Moves every particle to its slot in cell order, slot = cellStart[key] + place, in the other half of the buffers: the last
// part of the counting sort. Keys are recomputed from positions, cheaper than storing them. An invocation takes RUN particles.
//#import "../../lib/grid.wgsl"
//#import "../../lib/runs.wgsl"
//#import "order-key.wgsl"
//#import "order-particle.wgsl"
//#expects RUN, ISOLATED

@group(0) @binding(1) var<storage, read> places: array<u32>; // [N]
@group(0) @binding(2) var<storage, read> cellStart: array<u32>; // [n^3 + 2]
@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [N, 3], moved as bits
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read_write> newPositions: array<u32>;
@group(0) @binding(6) var<storage, read_write> newVelocities: array<u32>;
@group(0) @binding(7) var<storage, read_write> newIds: array<u32>;
@group(0) @binding(8) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(9) var<storage, read_write> newImages: array<u32>;

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn scatter(invocation: Invocation) {
  let taken = runIn(vec2u(0u, arrayLength(&ids)), flatIndex(invocation, GROUP), u32(RUN));
  for (var i = taken.x; i < taken.y; i += LANES) {
    let particle = particleIn(i);
    let slot = cellStart[cellKey(particle.position, imageOf(i))] + places[i];
    putParticle(slot, particle);
//#if ISOLATED
    newImages[slot] = images[i];
//#end
  }
}
