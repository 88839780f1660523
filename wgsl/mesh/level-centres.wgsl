// Moves levels with the particles that they follow.
//   sum     of one level: how many lie within half its core of where its centre will be if it goes on as it moved, and their
//           separations from there
//   settle  the mean becomes the centre; each mesh begins at the corner of its parent's cells that is next to where the centre
//           wants it, in an isolated box `edge` of its own inside the faces
//#import "../lib/grid.wgsl"
//#import "../lib/sums.wgsl"
//#import "../particles/image.wgsl"
//#import "../particles/position.wgsl"
//#import "level-places.wgsl"
//#expects RANGES, RUN, LEVELS, ISOLATED

struct Followed {
  level: u32,
  reach: u32, // half the core, fixed point
  ranges: array<vec4u, RANGES>, // first id and how many
}

// Of `sum`:
@group(0) @binding(0) var<uniform> followed: Followed;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>; // of each level: count and separations, 3 words each
// Of `settle`:
@group(0) @binding(5) var<storage, read_write> settled: array<LevelPlace, LEVELS>;

const GROUP = 64u;
const QUANTITIES = 4u;

fn isFollowed(id: u32) -> bool {
  var found = false;
  for (var i = 0u; i < RANGES; i++) {
    found = found || id - followed.ranges[i].x < followed.ranges[i].y;
  }
  return found;
}

@compute @workgroup_size(GROUP)
fn sum(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  let centre = places[followed.level].centre + bitcast<vec3u>(places[followed.level].moved);
  var sums: Sums;
  for (var slot = first; slot < min(first + u32(RUN), arrayLength(&ids)); slot++) {
    if (!isFollowed(ids[slot]) || imageOf(slot) != 0u) { continue; }
    let u = positionOf(slot);
    let d = bitcast<vec3i>(u - centre);
    // In an isolated box those beyond a face aren't near.
    let around = ISOLATED && any((d < vec3i(0)) != (u < centre));
    if (around || any(abs(d) > vec3i(i32(followed.reach)))) { continue; }
    sums[0] = plus(sums[0], vec2u(1u, 0u));
    for (var axis = 0u; axis < 3u; axis++) { sums[1u + axis] = plus(sums[1u + axis], signedTerm(d[axis])); }
  }
  addToTotals(&sums, 12u * followed.level, invocation.local);
}

@compute @workgroup_size(1)
fn settle() {
  for (var level = 0u; level < LEVELS; level++) {
    var place = settled[level];
    let found = totalAsFloat(12u * level);
    var moved = vec3i(0);
    if (found > 0.0) {
      let sums = vec3f(totalAsFloat(12u * level + 3u), totalAsFloat(12u * level + 6u), totalAsFloat(12u * level + 9u));
      moved = place.moved + vec3i(round(sums / found));
    }
    place.centre += bitcast<vec3u>(moved);
    place.moved = moved;
    for (var axis = 0u; axis < 3u; axis++) {
      let corner = wideProduct(place.centre[axis], place.perBox / place.refinement);
      let nearest = corner.x + (corner.y >> 31u);
      let first = i32(place.refinement * nearest) - i32(place.cells / 2u);
      let edge = i32(place.edge);
      let size = i32(place.perBox);
      let inBox = clamp(first, edge, size - i32(place.cells) - edge);
      place.first[axis] = u32(select((first + size) % size, inBox, ISOLATED));
    }
    settled[level] = place;
  }
}
