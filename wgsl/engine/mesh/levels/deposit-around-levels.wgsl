// On the mesh of the box: those that are on no level, which gets its mass by restriction.
//#import "level-members.wgsl"
//#expects HAS_OUTSIDE, OUTERMOST (a bit for each level that lies in the mesh of the box)

fn isDeposited(cell: vec3u, u: vec3u, image: u32) -> bool {
  return (!HAS_OUTSIDE || insideMesh(cell, image)) && !isOnAny(OUTERMOST, u, image);
}
