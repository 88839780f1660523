// Acceleration and potential of every particle, for read-back, by slot: total, external fields included.
//#import "../lib/grid.wgsl"
//#import "../lib/pull.wgsl"
//#expects RUN, ISOLATED

@group(0) @binding(0) var<uniform> surroundings: Surroundings;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(3) var<storage, read> force: array<vec4f>; // [n³]
@group(0) @binding(4) var<storage, read> monopole: Monopole; // isolated
@group(0) @binding(5) var<storage, read_write> accelerations: array<f32>; // [N, 3]
@group(0) @binding(6) var<storage, read_write> potential: array<f32>; // [N]

const GROUP = 64u;

alias MeshValue = vec4f;

fn meshValue(cell: u32) -> MeshValue {
  return force[cell];
}

@compute @workgroup_size(GROUP)
fn perParticle(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flatIndex(workgroup, workgroups, local, GROUP) * u32(RUN);
  let last = min(first + u32(RUN), arrayLength(&potential));
  var window = emptyWindow();
  for (var slot = first; slot < last; slot++) {
    let u = vec3u(positions[3u * slot], positions[3u * slot + 1u], positions[3u * slot + 2u]);
    var image = 0u;
    if (ISOLATED) {
      image = images[slot];
    }
    let pull = pullAt(&window, u, image);
    let total = pull.own + pull.rigid;
    accelerations[3u * slot] = total.x;
    accelerations[3u * slot + 1u] = total.y;
    accelerations[3u * slot + 2u] = total.z;
    potential[slot] = total.w;
  }
}
