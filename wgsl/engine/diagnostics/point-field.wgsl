// Acceleration and potential at any points. Of a mesh in slabs a dispatch writes the points whose base cells are the slab's;
// those outside an isolated mesh belong to the slab of its first plane.
//#import "../../lib/section.wgsl"
//#import "total-field.wgsl"
//#expects ISOLATED

@group(0) @binding(0) var<uniform> externalForces: ExternalForces;
@group(0) @binding(1) var<storage, read> points: array<vec4u>; // [K] fixed point, and packed box image
@group(0) @binding(2) var<storage, read_write> fields: array<vec4f>; // [K]
@group(0) @binding(3) var<uniform> monopole: Monopole; // isolated
@group(0) @binding(4) var<storage, read> meshPotential: array<f32>; // [n² rows × PITCH]

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn fieldAtPoints(invocation: Invocation) {
  let k = flatIndex(invocation, GROUP);
  if (k >= arrayLength(&points)) {
    return;
  }
  let point = points[k];
  let cell = baseOf(point.xyz).cell;
  let outside = ISOLATED && !insideMesh(cell, point.w);
  if (!isOwnPlane(select(cell.z, 0u, outside))) {
    return;
  }
  let field = totalFieldAt(k, point.xyz, point.w);
  fields[k] = field.own + field.applied;
}
