// Where fields lie by slot, no mesh is read.

fn forceIn(cell: u32) -> vec3f {
  return vec3f();
}
