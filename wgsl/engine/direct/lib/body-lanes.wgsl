// A body that another lane of the subgroup holds.
//#import "body.wgsl"
//#expects JERK, SNAP

enable subgroups;

fn bodyOfLane(own: Body, lane: u32) -> Body {
  return Body(
    subgroupShuffle(own.position, lane),
    subgroupShuffle(own.mass, lane),
    subgroupShuffle(own.positionLow, lane),
    subgroupShuffle(own.id, lane),
//#if JERK
    subgroupShuffle(own.velocity, lane),
//#end
//#if SNAP
    subgroupShuffle(own.acceleration, lane),
//#end
  );
}
