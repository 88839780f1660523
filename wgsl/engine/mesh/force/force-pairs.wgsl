// The force mesh as most adapters keep it: 12 bytes a cell, ax and ay in pairs. Read at the bindings FORCE and FORCE_Z.
//#expects FORCE, FORCE_Z

@group(0) @binding(FORCE) var<storage, read> forceXy: array<vec2f>; // [n³] ax, ay [velocity²/length]; of a slab with its ghosts
@group(0) @binding(FORCE_Z) var<storage, read> forceZ: array<f32>; // [n³] az

fn forceIn(cell: u32) -> vec3f {
  return vec3f(forceXy[cell], forceZ[cell]);
}

fn forceCells() -> u32 {
  return arrayLength(&forceZ);
}
