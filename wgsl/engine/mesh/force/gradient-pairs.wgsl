// Where the gradient puts the acceleration of a cell: pairs and the rest (force-pairs.wgsl).

@group(0) @binding(2) var<storage, read_write> forceXy: array<vec2f>; // [n³] ax, ay
@group(0) @binding(3) var<storage, read_write> forceZ: array<f32>; // [n³]

fn putForce(cell: u32, force: vec3f) {
  forceXy[cell] = force.xy;
  forceZ[cell] = force.z;
}
