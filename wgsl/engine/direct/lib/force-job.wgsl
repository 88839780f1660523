// What a dispatch of the direct sum works on: a range of the targets and all sources. Of a sum that is longer than a
// submission should be, a dispatch takes a part, which the GPU finds (force-round.wgsl) and which stands where the number
// of targets does.
//#import "body.wgsl"
//#expects GROUP, TARGETS, ROUND (whether it is a part), PART_AT (the part's place in `count`)

struct Job {
  firstTarget: u32, // slots of this dispatch; with a list it may end before endTarget
  endTarget: u32,
  sources: u32,
  listed: u32, // 1: targets are rows list[slot], slot < count[0]; 0: rows are slots
  added: u32, // 1: to the results that are there
  zero: u32, // stays 0, see lib/double-single.wgsl
  softening2: f32, // ε²
  fewest: u32, // with a list, or in rounds: for so many targets is this dispatch meant; with others it does nothing
  most: u32,
}

struct Part {
  firstTarget: u32,
  endTarget: u32,
  firstSource: u32, // a multiple of SLICE
  endSource: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> targets: array<Body>;
@group(0) @binding(2) var<storage, read> sources: array<Body>;
@group(0) @binding(3) var<storage, read> list: array<u32>;
@group(0) @binding(4) var<storage, read> count: array<u32>;

// Slots and sources of this dispatch.
fn part() -> Part {
  if (ROUND) { return Part(count[PART_AT], count[PART_AT + 1u], count[PART_AT + 2u], count[PART_AT + 3u]); }
  return Part(job.firstTarget, job.endTarget, 0u, job.sources);
}

// One past the last slot of this dispatch; 0 where it isn't meant for so many targets, or a round has nothing to sum.
fn endSlot() -> u32 {
  let here = part();
  if (!ROUND && job.listed == 0u) { return here.endTarget; }
  let isMeant = job.fewest <= count[0] && count[0] <= job.most;
  let isIdle = ROUND && here.firstSource == here.endSource;
  return select(0u, min(here.endTarget, count[0]), isMeant && !isIdle);
}

// First slot of an invocation; its others follow GROUP apart, so that neighbours read neighbouring bodies. A workgroup
// whose first invocation is past the end has nothing to do.
fn firstSlot(workgroup: u32, local: u32) -> u32 {
  return part().firstTarget + workgroup * GROUP * TARGETS + local;
}

// The body at a slot; past the end one that exists, whose force isn't written.
fn bodyAt(slot: u32, end: u32) -> Body {
  var row = min(slot, max(end, 1u) - 1u);
  if (job.listed == 1u) { row = list[row]; }
  return targets[row];
}
