// Right-hand side of the 19-point Laplacian: F + Δ₇F/12, from the mesh field to a buffer of its own. Nothing lies outside
// an isolated mesh. One cell an invocation. Needs CELLS, PITCH, ISOLATED.

@group(0) @binding(0) var<storage, read> field: array<f32>; // [n² rows × PITCH]
@group(0) @binding(1) var<storage, read_write> source: array<f32>; // [n³]

const GROUP = 64u;

// F at x, y, z from −1 to n.
fn sourceAt(x: i32, y: i32, z: i32) -> f32 {
  let n = i32(CELLS);
  let cell = vec3i(x, y, z);
  if (ISOLATED && (any(cell < vec3i(0)) || any(cell >= vec3i(n)))) {
    return 0.0;
  }
  let c = (cell + n) % n;
  return field[(c.z * n + c.y) * i32(PITCH) + c.x];
}

@compute @workgroup_size(GROUP)
fn compactSource(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flatIndex(workgroup, workgroups, local, GROUP);
  if (i >= u32(CELLS * CELLS * CELLS)) {
    return;
  }
  let c = vec3i(vec3u(i % u32(CELLS), i / u32(CELLS) % u32(CELLS), i / u32(CELLS * CELLS)));
  let sum = (sourceAt(c.x - 1, c.y, c.z) + sourceAt(c.x + 1, c.y, c.z))
    + (sourceAt(c.x, c.y - 1, c.z) + sourceAt(c.x, c.y + 1, c.z))
    + (sourceAt(c.x, c.y, c.z - 1) + sourceAt(c.x, c.y, c.z + 1));
  source[i] = (6.0 * sourceAt(c.x, c.y, c.z) + sum) / 12.0;
}
