// The force mesh in vectors of four words, as texels want them. Read at the binding FORCE.
//#expects FORCE

@group(0) @binding(FORCE) var<storage, read> forceVectors: array<vec4f>; // [n³] ax, ay, az [velocity²/length], 0

fn forceIn(cell: u32) -> vec3f {
  return forceVectors[cell].xyz;
}

fn forceCells() -> u32 {
  return arrayLength(&forceVectors);
}
