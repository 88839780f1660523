// All particles whose stencils lie on the mesh are deposited.
//#import "../../../lib/cells.wgsl"
//#expects HAS_OUTSIDE

fn isDeposited(cell: vec3u, u: vec3u, image: u32) -> bool {
  return !HAS_OUTSIDE || insideMesh(cell, image);
}
