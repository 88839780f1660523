// Where the gradient puts the acceleration of a cell: vectors (force-vectors.wgsl). All four words, which is one store of a
// vector: three words by themselves take a processor longer.

@group(0) @binding(2) var<storage, read_write> forceVectors: array<vec4f>; // [n³] ax, ay, az, 0

fn putForce(cell: u32, force: vec3f) {
  forceVectors[cell] = vec4f(force, 0.0);
}
