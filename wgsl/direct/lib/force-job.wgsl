// What a dispatch of the direct sum works on: a range of the targets against a range of the sources. A job that is too
// long for one dispatch, or too large for its scratch, takes several; between them the totals wait in `state`.
//#expects Body, GROUP, TARGETS

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
}

const FROM_RESULT = 1u;
const FROM_STATE = 2u;

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> targets: array<Body>;
@group(0) @binding(2) var<storage, read> sources: array<Body>;
@group(0) @binding(3) var<storage, read> list: array<u32>;
@group(0) @binding(4) var<storage, read> count: array<u32>;

// One past the last slot of this dispatch.
fn endSlot() -> u32 {
  if (job.listed == 1u) { return min(job.endTarget, count[0]); }
  return job.endTarget;
}

// First slot of an invocation; its others follow GROUP apart, so that neighbours read neighbouring bodies.
fn firstSlot(workgroup: u32, local: u32) -> u32 {
  return job.firstTarget + workgroup * GROUP * TARGETS + local;
}

// The body at a slot; past the end one that exists, whose force nobody writes.
fn bodyAt(slot: u32, end: u32) -> Body {
  var row = min(slot, max(end, 1u) - 1u);
  if (job.listed == 1u) { row = list[row]; }
  return targets[row];
}
