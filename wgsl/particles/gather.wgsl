// Particles of a block of ids, out of a window of slots, into a staging buffer in id order: each slot looks whether its
// particle belongs to the block. With `every` above 1 the ids are those that it divides, and a block counts in them.
//#import "../lib/grid.wgsl"
//#expects RUN

// Where each quantity begins in the staging buffer [words]; ABSENT for one that isn't wanted.
struct Block {
  first: u32, // the first id over `every`
  count: u32,
  every: u32,
  positions: u32,
  velocities: u32,
  images: u32,
  accelerations: u32,
  potential: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> ids: array<u32>;
@group(0) @binding(2) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [N, 3] bits of floats, as all that follow
@group(0) @binding(4) var<storage, read> images: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> accelerations: array<u32>; // [N, 3]
@group(0) @binding(6) var<storage, read> potential: array<u32>; // [N]
@group(0) @binding(7) var<storage, read_write> staging: array<u32>;

const GROUP = 64u;
const ABSENT = 0xffffffffu;

@compute @workgroup_size(GROUP)
fn gather(invocation: Invocation) {
  let slots = arrayLength(&ids);
  let start = flatWorkgroup(invocation) * GROUP * u32(RUN) + invocation.local;
  for (var i = 0u; i < u32(RUN); i++) {
    let slot = start + i * GROUP;
    if (slot >= slots) {
      return;
    }
    var index = ids[slot];
    if (block.every > 1u) {
      let whole = index / block.every;
      index = select(ABSENT, whole, whole * block.every == index);
    }
    let place = index - block.first; // wraps below it
    if (index == ABSENT || place >= block.count) {
      continue;
    }
    for (var axis = 0u; axis < 3u; axis++) {
      let source = 3u * slot + axis;
      let goal = 3u * place + axis;
      if (block.positions != ABSENT) {
        staging[block.positions + goal] = positions[source];
      }
      if (block.velocities != ABSENT) {
        staging[block.velocities + goal] = velocities[source];
      }
      if (block.accelerations != ABSENT) {
        staging[block.accelerations + goal] = accelerations[source];
      }
    }
    if (block.images != ABSENT) {
      staging[block.images + place] = images[slot];
    }
    if (block.potential != ABSENT) {
      staging[block.potential + place] = potential[slot];
    }
  }
}
