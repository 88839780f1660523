// What a picture finds out about itself: the brightest of each map, and whether its counts had room.
//#expects MOST_MAPS

const CROWDED = u32(MOST_MAPS); // pixels hold many particles: bytes may not have room for the next picture's
const OVERFLOWN = u32(MOST_MAPS) + 1u; // bytes had no room, and the picture is wrong
const YES = 0x3f800000u; // bits of 1.0
