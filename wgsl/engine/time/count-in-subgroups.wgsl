// The update of leapfrog.wgsl with a particle an invocation. Of a subgroup's particles, those that move to one cell share an atomic
// for their places in it: neighbours in order mostly go to the same cells, and a GPU adds to one counter no faster than one atomic
// after the other. Cells beyond the first TURNS have an atomic a particle.
//#import "../../lib/grid.wgsl"
//#expects GROUP, STRAY, step, cellStart, places, counter, slots, moveParticles

enable subgroups;

const TURNS = 4u;

fn bitsOf(ballot: vec4u) -> u32 {
  let bits = countOneBits(ballot);
  return bits.x + bits.y + bits.z + bits.w;
}

fn lanesBelow(lane: u32) -> vec4u {
  let behind = vec4i(i32(lane)) - vec4i(0, 32, 64, 96);
  let part = (vec4u(1u) << vec4u(clamp(behind, vec4i(0), vec4i(31)))) - vec4u(1u);
  return select(part, vec4u(0xffffffffu), behind > vec4i(31));
}

// Of none some lane.
fn lowestLane(ballot: vec4u) -> u32 {
  let lanes = firstTrailingBit(ballot) + vec4u(0u, 32u, 64u, 96u);
  return select(select(select(lanes.w, lanes.z, ballot.z > 0u), lanes.y, ballot.y > 0u), lanes.x, ballot.x > 0u) & 127u;
}

// Uniform control flow only.
fn placeTogether(key: u32, counts: bool, lane: u32) -> u32 {
  var left = counts;
  var place = 0u;
  for (var turn = 0u; turn < TURNS; turn++) {
    let leader = lowestLane(subgroupBallot(left));
    let ofLeader = subgroupShuffle(key, leader);
    let same = left && key == ofLeader;
    let equals = subgroupBallot(same);
    var before = 0u;
    if (same && lane == leader) { before = atomicAdd(&cellStart[key], bitsOf(equals)); }
    let first = subgroupShuffle(before, leader);
    if (same) { place = first + bitsOf(equals & lanesBelow(lane)); }
    left = left && !same;
  }
  if (left) { place = atomicAdd(&cellStart[key], 1u); }
  return place;
}

@compute @workgroup_size(GROUP)
fn updateTogether(invocation: Invocation, @builtin(subgroup_invocation_id) lane: u32) {
  let range = slots(invocation);
  moveParticles(range);
  if (step.counts != 0u) {
    let place = placeTogether(counter, counter != STRAY, lane);
    if (range.x < range.y) { places[range.x] = select(place, STRAY, counter == STRAY); }
  }
}
