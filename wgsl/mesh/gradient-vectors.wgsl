// Where the gradient puts the acceleration of a cell: vectors (force-vectors.wgsl).

@group(0) @binding(2) var<storage, read_write> forceVectors: array<vec4f>; // [n³] ax, ay, az, 0

fn putForce(cell: u32, force: vec3f) {
  forceVectors[cell] = vec4f(force, 0.0);
}
