// Plans a round of a long sum, since only the GPU knows how many members a block has: as much as is left of the
// submission's share, of a range of the targets (of this rank's, where ranks share them out) over the next slices of the
// sources. Leaves the part in the control words, and the arguments of the indirect dispatches that sum it.
//#import "lib/block-control.wgsl"
//#expects SLICE

struct Limits {
  sources: u32,
  targets: u32, // of a range
  sums: u32, // slice sums of a round
  rank: u32,
  ranks: u32,
  fewestShared: u32, // fewest members of a block that the ranks share out
}

// A dispatch, meant for fewest <= members <= most.
struct Entry {
  perGroup: u32, // targets of a workgroup
  layer: u32, // slices that a layer of workgroups shares; 0: there is one layer
  fewest: u32,
  most: u32,
  sums: u32, // slice sums that its scratch holds
}

struct Arguments {
  x: u32,
  y: u32,
  z: u32,
}

// Workgroups along an axis.
const MOST_LAYERS = 65535u;

@group(0) @binding(0) var<uniform> limits: Limits;
@group(0) @binding(1) var<storage, read_write> control: Control;
@group(0) @binding(2) var<storage, read> entries: array<Entry>;
@group(0) @binding(3) var<storage, read_write> arguments: array<Arguments>;

fn isMeant(entry: Entry) -> bool {
  return entry.fewest <= control.members && control.members <= entry.most;
}

// As shareOf() in src/ranks/ranks.ts.
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
  var targets = 0u;
  var slices = 0u;
  if (control.members > 0u && (control.sum == TO_BEGIN || control.sum == BEGUN)) {
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
    targets = control.endTarget - control.firstTarget;
    var most = min(control.share, limits.sums);
    for (var k = 0u; k < arrayLength(&entries); k++) {
      if (isMeant(entries[k])) { most = min(most, entries[k].sums); }
    }
    let left = (limits.sources - control.endSource + SLICE - 1u) / SLICE;
    slices = min(min(left, MOST_LAYERS), most / targets);
    control.firstSource = control.endSource;
    control.endSource = min(limits.sources, control.firstSource + slices * SLICE);
    control.share -= slices * targets;
    control.rounds += min(slices, 1u);
    if (control.endSource == limits.sources && control.endTarget == share.y) {
      control.sum = select(0u, TO_EXCHANGE, control.members >= limits.fewestShared);
    }
  }
  for (var k = 0u; k < arrayLength(&entries); k++) {
    let entry = entries[k];
    let groups = select(0u, (targets + entry.perGroup - 1u) / entry.perGroup, slices > 0u && isMeant(entry));
    let layers = select((slices + max(entry.layer, 1u) - 1u) / max(entry.layer, 1u), 1u, entry.layer == 0u);
    arguments[k] = Arguments(groups, layers, 1u);
  }
}
