// Particles into groups of 2^bits consecutive ids, in any order within a group: how many there are of each is known
// beforehand, so that a particle's place follows from how many of its group came before.
//   place  gives each slot of a chunk a place, by counts of a workgroup that are added to those of all
//   bring  moves what each slot holds to its place, where that lies in another chunk
//#import "../../lib/grid.wgsl"
//#expects RUN, GROUPS (at most), WIDTH (words a particle)

struct Chunks {
  slots: u32,
  firstPlace: u32,
  places: u32,
  groupBits: u32,
}

@group(0) @binding(0) var<uniform> chunks: Chunks;
@group(0) @binding(1) var<storage, read> ids: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read_write> placed: array<atomic<u32>>; // [groups]
@group(0) @binding(3) var<storage, read_write> found: array<u32>; // [slots] places

@group(0) @binding(1) var<storage, read> places: array<u32>; // [slots]
@group(0) @binding(2) var<storage, read> words: array<u32>; // [slots, WIDTH]
@group(0) @binding(3) var<storage, read_write> moved: array<u32>; // [places, WIDTH]

const GROUP = 64u;

var<workgroup> counts: array<atomic<u32>, GROUPS>;

@compute @workgroup_size(GROUP)
fn place(invocation: Invocation) {
  let start = flatWorkgroup(invocation) * GROUP * u32(RUN) + invocation.local;
  for (var i = 0u; i < u32(RUN); i++) {
    let slot = start + i * GROUP;
    if (slot < chunks.slots) {
      atomicAdd(&counts[ids[slot] >> chunks.groupBits], 1u);
    }
  }
  workgroupBarrier();
  for (var group = invocation.local; group < u32(GROUPS); group += GROUP) {
    let count = atomicLoad(&counts[group]);
    if (count > 0u) {
      atomicStore(&counts[group], (group << chunks.groupBits) + atomicAdd(&placed[group], count));
    }
  }
  workgroupBarrier();
  for (var i = 0u; i < u32(RUN); i++) {
    let slot = start + i * GROUP;
    if (slot < chunks.slots) {
      found[slot] = atomicAdd(&counts[ids[slot] >> chunks.groupBits], 1u);
    }
  }
}

@compute @workgroup_size(GROUP)
fn bring(invocation: Invocation) {
  let start = flatWorkgroup(invocation) * GROUP * u32(RUN) + invocation.local;
  for (var i = 0u; i < u32(RUN); i++) {
    let slot = start + i * GROUP;
    if (slot >= chunks.slots) {
      return;
    }
    let goal = places[slot] - chunks.firstPlace; // wraps below it
    if (goal < chunks.places) {
      for (var k = 0u; k < u32(WIDTH); k++) { moved[u32(WIDTH) * goal + k] = words[u32(WIDTH) * slot + k]; }
    }
  }
}
