// The first cell of a grid that is a level's mesh and moves with it.
//#import "level-places.wgsl"
//#expects LEVEL

fn firstCell() -> vec3u {
  return places[LEVEL].first;
}
