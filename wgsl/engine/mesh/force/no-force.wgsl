// Where fields lie by slot, nobody looks at a mesh.

fn forceIn(cell: u32) -> vec3f {
  return vec3f();
}
