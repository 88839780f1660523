// The first cell of a grid that is a level's mesh and moves with it.
//#import "level-places.wgsl"
//#import "this-level.wgsl"

fn firstCell() -> vec3u {
  return places[thisLevel.number].first;
}
