// A body that another lane of the subgroup holds.
//#import "body-acceleration.wgsl"

enable subgroups;

fn bodyOfLane(own: Body, lane: u32) -> Body {
  return Body(
    subgroupShuffle(own.position, lane),
    subgroupShuffle(own.mass, lane),
    subgroupShuffle(own.positionLow, lane),
    subgroupShuffle(own.id, lane),
  );
}
