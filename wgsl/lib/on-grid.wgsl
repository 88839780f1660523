// Fixed-point positions in the box as fixed-point positions on a grid, whose side is 2^-ZOOM of the box's.
//#expects ORIGIN_X, ORIGIN_Y, ORIGIN_Z (its lower corner [2^-32 box]), ZOOM

const ORIGIN = vec3u(ORIGIN_X, ORIGIN_Y, ORIGIN_Z);

// Positions that aren't on the grid come as those of its copies on all sides.
fn onGrid(u: vec3u) -> vec3u {
  return (u - ORIGIN) << vec3u(ZOOM);
}

fn isOnGrid(u: vec3u) -> bool {
  return ZOOM == 0u || all(u - ORIGIN < vec3u(1u << (32u - max(ZOOM, 1u))));
}
