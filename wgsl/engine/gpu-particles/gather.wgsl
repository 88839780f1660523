// Particles of a block of ids, out of a chunk of slots, into a staging buffer in id order.
//   find    notes in which slot each id is, for a chunk of slots and a chunk of ids
//   gather  for each id of the block takes what its slot holds. With `every` above 1 the ids are those that it divides,
//           and a block counts in them.
//#import "../../lib/grid.wgsl"
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

struct Chunks {
  firstSlot: u32,
  slots: u32,
  firstId: u32,
  ids: u32,
}

@group(0) @binding(0) var<uniform> chunks: Chunks;
@group(0) @binding(1) var<uniform> block: Block;
@group(0) @binding(2) var<storage, read> positions: array<u32>; // [slots, 3]
@group(0) @binding(3) var<storage, read> velocities: array<u32>; // [slots, 3] bits of floats, as all that follow
@group(0) @binding(4) var<storage, read> images: array<u32>; // [slots]
@group(0) @binding(5) var<storage, read> accelerations: array<u32>; // [slots, 3]
@group(0) @binding(6) var<storage, read> potential: array<u32>; // [slots]
@group(0) @binding(7) var<storage, read_write> staging: array<u32>;
@group(0) @binding(8) var<storage, read> slotOf: array<u32>; // [ids]

@group(0) @binding(2) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(8) var<storage, read_write> found: array<u32>; // [ids] slots

const GROUP = 64u;
const ABSENT = 0xffffffffu;

@compute @workgroup_size(GROUP)
fn find(invocation: Invocation) {
  let start = flatWorkgroup(invocation) * GROUP * u32(RUN) + invocation.local;
  for (var i = 0u; i < u32(RUN); i++) {
    let slot = start + i * GROUP;
    if (slot >= chunks.slots) {
      return;
    }
    let place = ids[slot] - chunks.firstId; // wraps below it
    if (place < chunks.ids) {
      found[place] = chunks.firstSlot + slot;
    }
  }
}

@compute @workgroup_size(GROUP)
fn gather(invocation: Invocation) {
  let start = flatWorkgroup(invocation) * GROUP * u32(RUN) + invocation.local;
  for (var i = 0u; i < u32(RUN); i++) {
    let place = start + i * GROUP;
    if (place >= block.count) {
      return;
    }
    let id = (block.first + place) * block.every - chunks.firstId;
    if (id >= chunks.ids) {
      continue;
    }
    let slot = slotOf[id] - chunks.firstSlot;
    if (slot >= chunks.slots) {
      continue;
    }
    let source = 3u * slot;
    let goal = 3u * place;
    if (block.positions != ABSENT) {
      for (var axis = 0u; axis < 3u; axis++) { staging[block.positions + goal + axis] = positions[source + axis]; }
    }
    if (block.velocities != ABSENT) {
      for (var axis = 0u; axis < 3u; axis++) { staging[block.velocities + goal + axis] = velocities[source + axis]; }
    }
    if (block.accelerations != ABSENT) {
      for (var axis = 0u; axis < 3u; axis++) { staging[block.accelerations + goal + axis] = accelerations[source + axis]; }
    }
    if (block.images != ABSENT) {
      staging[block.images + place] = images[slot];
    }
    if (block.potential != ABSENT) {
      staging[block.potential + place] = potential[slot];
    }
  }
}
