// A body that another lane of the subgroup holds.
//#import "body-snap.wgsl"

enable subgroups;

fn bodyOfLane(own: Body, lane: u32) -> Body {
  return Body(
    subgroupShuffle(own.position, lane),
    subgroupShuffle(own.mass, lane),
    subgroupShuffle(own.positionLow, lane),
    subgroupShuffle(own.id, lane),
    subgroupShuffle(own.velocity, lane),
    0.0,
    subgroupShuffle(own.acceleration, lane),
    0.0,
  );
}
