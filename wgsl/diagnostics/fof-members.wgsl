// What sums over the members of groups share: masses, and separations from a point of the group, to the nearest image in a
// periodic box, and exact across the boxes in an isolated one. An invocation takes RUN consecutive particles, which often
// belong to one group.
//#import "fof-cells.wgsl"
//#expects EQUAL_MASSES, MASS_UNITS, ISOLATED

@group(0) @binding(1) var<uniform> velocityScale: vec4f; // x: power of two; |velocity component| · x < 1
@group(0) @binding(2) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(3) var<storage, read> velocities: array<f32>; // [N, 3]
@group(0) @binding(4) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(5) var<storage, read> massUnits: array<u32>; // [N] by id
@group(0) @binding(6) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(7) var<storage, read> groupOf: array<u32>; // [N] number of the group, or NONE

const GROUP = 64u;
const RUN = 16u;

fn massOf(i: u32) -> u32 {
  if (EQUAL_MASSES) { return u32(MASS_UNITS); }
  return massUnits[ids[i]];
}

fn velocityOf(i: u32) -> vec3f {
  return vec3f(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]) * velocityScale.x;
}

// Separation = near + 2^32 · boxes, in L/2^32.
struct Separation {
  near: vec3i,
  boxes: vec3i,
}

fn separationFrom(point: vec4u, i: u32) -> Separation {
  let u = vec3u(positions[3u * i], positions[3u * i + 1u], positions[3u * i + 2u]);
  let near = bitcast<vec3i>(u - point.xyz);
  if (!ISOLATED) { return Separation(near, vec3i(0)); }
  // What 32 bits can't hold of the difference within a box.
  let above = (u >= point.xyz) & (near < vec3i(0));
  let below = (u < point.xyz) & (near >= vec3i(0));
  let lost = select(vec3i(0), vec3i(1), above) - select(vec3i(0), vec3i(1), below);
  return Separation(near, imageOffsets(images[i]) - imageOffsets(point.w) + lost);
}
