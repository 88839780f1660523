// An invocation in a grid of workgroups that was folded into two dimensions (see workgroups() in batch.ts).

struct Invocation {
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
}

fn flatWorkgroup(invocation: Invocation) -> u32 {
  return invocation.workgroup.y * invocation.workgroups.x + invocation.workgroup.x;
}

// Among the invocations of all workgroups, `size` each.
fn flatIndex(invocation: Invocation, size: u32) -> u32 {
  return flatWorkgroup(invocation) * size + invocation.local;
}

// The same number, dealt out: the dispatch's first workgroups take every `spread`-th, the next ones those beside them. A
// driver on a processor gives each thread a stretch of the workgroups, of which only a part may find something to do.
fn spreadWorkgroup(invocation: Invocation, spread: u32) -> u32 {
  let i = flatWorkgroup(invocation);
  let turns = invocation.workgroups.x * invocation.workgroups.y / spread;
  if (i >= turns * spread) { return i; }
  return i % turns * spread + i / turns;
}
