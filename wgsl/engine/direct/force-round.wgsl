// Plans a round of a long sum, since only the GPU knows how many members a block has: as much as is left of the
// submission's share, of a range of the targets (of this rank's, where ranks share them out) over the next slices of the
// sources. Leaves the part in the control words; without anything to sum its sources end where they begin.
//#import "lib/block-control.wgsl"
//#expects SLICE

struct Limits {
  sources: u32,
  targets: u32, // of a range
  sums: u32, // slice sums of a round
  mostSplit: u32, // members whose slice sums go through scratch, up to so many
  scratch: u32, // slice sums that it holds
  rank: u32,
  ranks: u32,
  fewestShared: u32, // fewest members of a block that the ranks share out
}

@group(0) @binding(0) var<uniform> limits: Limits;
@group(0) @binding(1) var<storage, read_write> control: Control;

// As shareOf() in src/foundation/ranks/ranks.ts.
fn beginOf(rank: u32) -> u32 {
  return rank * (control.members / limits.ranks) + min(rank, control.members % limits.ranks);
}

// First and last (exclusive) target of this rank.
fn shareOfTargets() -> vec2u {
  if (control.members < limits.fewestShared) { return vec2u(0u, control.members); }
  return vec2u(beginOf(limits.rank), beginOf(limits.rank + 1u));
}

@compute @workgroup_size(1)
fn nextRound() {
  control.firstSource = control.endSource;
  if (control.members == 0u || (control.sum != TO_BEGIN && control.sum != BEGUN)) { return; }
  let share = shareOfTargets();
  if (control.sum == TO_BEGIN) {
    control.sum = BEGUN;
    control.endTarget = share.x;
    control.endSource = limits.sources;
  }
  if (control.endSource == limits.sources) {
    control.firstTarget = control.endTarget;
    control.endTarget = min(share.y, control.firstTarget + limits.targets);
    control.endSource = 0u;
  }
  let targets = control.endTarget - control.firstTarget;
  let most = min(control.share, select(limits.sums, limits.scratch, control.members <= limits.mostSplit));
  let left = (limits.sources - control.endSource + SLICE - 1u) / SLICE;
  let slices = min(left, most / targets);
  control.firstSource = control.endSource;
  control.endSource = min(limits.sources, control.firstSource + slices * SLICE);
  control.share -= slices * targets;
  control.rounds += min(slices, 1u);
  if (control.endSource == limits.sources && control.endTarget == share.y) {
    control.sum = select(0u, TO_EXCHANGE, control.members >= limits.fewestShared);
  }
}
