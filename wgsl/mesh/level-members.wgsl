// Whether particles are on the meshes of levels: in an isolated box they must be on that of the box, too.
//#import "../lib/cells.wgsl"
//#import "level-places.wgsl"
//#expects ISOLATED, BOX_CELLS, LEVELS

fn isOnLevel(level: u32, u: vec3u, image: u32) -> bool {
  let place = places[level];
  let cell = baseIn(u, place.first, place.perBox);
  if (ISOLATED && !insideCube(baseIn(u, vec3u(0u), BOX_CELLS), image, BOX_CELLS)) {
    return false;
  }
  return insideCube(cell, image, place.cells);
}

fn baseIn(u: vec3u, first: vec3u, perBox: u32) -> vec3u {
  return vec3u(baseAmong(u.x, first.x, perBox).x, baseAmong(u.y, first.y, perBox).x, baseAmong(u.z, first.z, perBox).x);
}

fn isOnAny(levels: u32, u: vec3u, image: u32) -> bool {
  var found = false;
  for (var level = 0u; level < LEVELS; level++) {
    if ((levels & (1u << level)) != 0u) { found = found || isOnLevel(level, u, image); }
  }
  return found;
}
