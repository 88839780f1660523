// Field and forces of potentials at given points, for tests: each invocation takes one potential and one point.
//#expects potentialField, potentialForces, POINTS

struct Case {
  kind: vec4u,
  parameters: array<vec4f, 2>,
}

struct Found {
  field: vec4f,
  acceleration: vec4f,
  jerk: vec4f,
  snap: vec4f,
}

@group(0) @binding(0) var<storage, read> cases: array<Case>;
@group(0) @binding(1) var<storage, read> paths: array<vec4f>; // [POINTS, 3] x, v, a
@group(0) @binding(2) var<storage, read_write> found: array<Found>; // by case and point

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= POINTS) { return; }
  let one = cases[id.y];
  let x = paths[3u * id.x].xyz;
  let forces = potentialForces(one.kind.x, one.parameters, x, paths[3u * id.x + 1u].xyz, paths[3u * id.x + 2u].xyz);
  found[id.y * POINTS + id.x] = Found(
    potentialField(one.kind.x, one.parameters, x),
    vec4f(forces.acceleration, 0.0),
    vec4f(forces.jerk, 0.0),
    vec4f(forces.snap, 0.0),
  );
}
