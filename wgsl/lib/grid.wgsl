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
