// The force mesh of a slab in vectors of four words, as texels want them, in two halves: one binding may not hold all.
// Read at the bindings FORCE and FORCE_Z.
//#expects FORCE, FORCE_Z

@group(0) @binding(FORCE) var<storage, read> lowerForce: array<vec4f>; // planes from the first on: ax, ay, az [velocity²/length], 0
@group(0) @binding(FORCE_Z) var<storage, read> upperForce: array<vec4f>; // the others

fn forceIn(cell: u32) -> vec3f {
  let lower = arrayLength(&lowerForce);
  if (cell < lower) {
    return lowerForce[cell].xyz;
  }
  return upperForce[cell - lower].xyz;
}

fn forceCells() -> u32 {
  return arrayLength(&lowerForce) + arrayLength(&upperForce);
}
