// What a dispatch of the direct sum works on: a range of the targets against a range of the sources. A job that is too
// long for one dispatch, or too large for its scratch, takes several; between them the totals wait in `state`.
// In rounds (force-round.wgsl) the part is found on the GPU, and stands where the number of targets does.
//#expects Body, GROUP, TARGETS, PART_AT (the part's place in `count`; 0: it is the job's own)

struct Job {
  firstTarget: u32, // slots of this dispatch; with a list it may end before endTarget
  endTarget: u32,
  firstSource: u32, // a multiple of SLICE
  endSource: u32,
  listed: u32,      // 1: targets are rows list[slot], slot < count[0]; 0: rows are slots
  start: u32,       // where totals come from: zero, FROM_RESULT or FROM_STATE
  finish: u32,      // 1: the last dispatch of its targets writes results; 0: totals go to `state`
  zero: u32,        // stays 0, see lib/double-single.wgsl
  softening2: f32,  // ε²
  fewest: u32,      // with a list: for so many targets is this dispatch meant; with others it does nothing
  most: u32,
}

struct Part {
  firstTarget: u32,
  endTarget: u32,
  firstSource: u32,
  endSource: u32,
}

const FROM_RESULT = 1u;
const FROM_STATE = 2u;

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> targets: array<Body>;
@group(0) @binding(2) var<storage, read> sources: array<Body>;
@group(0) @binding(3) var<storage, read> list: array<u32>;
@group(0) @binding(4) var<storage, read> count: array<u32>;

// Slots and sources of this dispatch.
fn part() -> Part {
  if (PART_AT > 0u) { return Part(count[PART_AT], count[PART_AT + 1u], count[PART_AT + 2u], count[PART_AT + 3u]); }
  return Part(job.firstTarget, job.endTarget, job.firstSource, job.endSource);
}

// Where totals come from before this dispatch.
fn startsFrom() -> u32 {
  if (PART_AT > 0u) { return select(0u, FROM_STATE, part().firstSource > 0u); }
  return job.start;
}

// Whether this is the last dispatch of its targets.
fn finishes() -> bool {
  if (PART_AT > 0u) { return part().endSource == job.endSource; }
  return job.finish == 1u;
}

// One past the last slot of this dispatch; 0 where it isn't meant for so many targets.
fn endSlot() -> u32 {
  if (PART_AT > 0u || job.listed == 0u) { return part().endTarget; }
  if (count[0] < job.fewest || count[0] > job.most) { return 0u; }
  return min(job.endTarget, count[0]);
}

// First slot of an invocation; its others follow GROUP apart, so that neighbours read neighbouring bodies. A workgroup
// whose first invocation is past the end has nothing to do.
fn firstSlot(workgroup: u32, local: u32) -> u32 {
  return part().firstTarget + workgroup * GROUP * TARGETS + local;
}

// The body at a slot; past the end one that exists, whose force nobody writes.
fn bodyAt(slot: u32, end: u32) -> Body {
  var row = min(slot, max(end, 1u) - 1u);
  if (job.listed == 1u) { row = list[row]; }
  return targets[row];
}
