// Flat invocation index in a grid of workgroups that was folded into two dimensions (see workgroups() in batch.ts).
fn flatIndex(workgroup: vec3u, workgroups: vec3u, local: u32, size: u32) -> u32 {
  return (workgroup.y * workgroups.x + workgroup.x) * size + local;
}
