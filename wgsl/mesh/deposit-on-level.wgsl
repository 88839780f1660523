// On a level: those that are on no level within it. In levels that overlap a particle counts for the box in the first of them;
// in the others it is a guest.
//#import "level-members.wgsl"
//#expects LEVEL, LEVELS, CHILD (the level within it, LEVELS for none), EARLIER (bits of outermost levels), GUESTS (whether they are meant)

fn isDeposited(cell: vec3u, u: vec3u, image: u32) -> bool {
  return isOnLevel(LEVEL, u, image) && !(CHILD < LEVELS && isOnLevel(min(CHILD, LEVELS - 1u), u, image)) &&
    isOnAny(EARLIER, u, image) == GUESTS;
}
