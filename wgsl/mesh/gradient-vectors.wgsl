// Where the gradient puts the acceleration of a cell: vectors (force-vectors.wgsl), but for their fourth word, which nobody
// uses: processors store word by word.

@group(0) @binding(2) var<storage, read_write> forceVectors: array<f32>; // [n³, 4] ax, ay, az, and what was there

fn putForce(cell: u32, force: vec3f) {
  forceVectors[4u * cell] = force.x;
  forceVectors[4u * cell + 1u] = force.y;
  forceVectors[4u * cell + 2u] = force.z;
}
