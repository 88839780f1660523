// On a level: those that are on no level within it. In levels that overlap a particle counts for the box in the first of them;
// in the others it is a guest.
//#import "level-members.wgsl"
//#import "level-slots.wgsl"
//#import "this-level.wgsl"
//#expects LEVELS

fn depositedRun(k: u32, slots: u32) -> vec2u {
  return runInPlanes(k, slots, planesOfLevel(thisLevel.number));
}

fn isDeposited(cell: vec3u, u: vec3u, image: u32) -> bool {
  let child = thisLevel.child;
  return isOnLevel(thisLevel.number, u, image) && !(child < LEVELS && isOnLevel(min(child, LEVELS - 1u), u, image)) &&
    isOnAny(thisLevel.earlier, u, image) == (thisLevel.guests != 0u);
}
