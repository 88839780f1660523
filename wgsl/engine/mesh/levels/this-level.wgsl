// The level that a kernel works for, as a value: levels with meshes of one size share the kernel.
//#expects THIS_LEVEL (binding number)

struct ThisLevel {
  number: u32,
  parent: u32, // LEVELS: the mesh of the box
  child: u32, // the level in it, LEVELS for none
  earlier: u32, // bits of the outermost levels in which its particles may count for the box
  guests: u32, // whether those that count there are meant, or the others
  offset: f32, // of its potential
}

@group(0) @binding(THIS_LEVEL) var<uniform> thisLevel: ThisLevel;
