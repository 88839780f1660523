// Moves levels with the particles that they follow; those in one another have one centre.
//   count   how many lie in each of START_CELLS³ cells of the box, for the first centre
//   sum     of one level: how many lie within half its core of where its centre will be if it goes on as it moved, and their
//           separations from there; the same in cubes of a half, a quarter … of that
//   settle  the mean in the smallest cube that is much denser than the one before becomes the centre, or until it is known how the
//           level moves in the largest; each mesh begins at the corner of its parent's cells that is next to where the centre
//           wants it
//#import "../../../lib/grid.wgsl"
//#import "../../../lib/sums.wgsl"
//#import "../../gpu-particles/image.wgsl"
//#import "../../gpu-particles/position.wgsl"
//#import "level-slots.wgsl"
//#expects RANGES, RUN, LEVELS, ISOLATED, START_CELLS, CUBES, LEAST
//#expects OUTERMOST (of the chain that each level is in)

struct Followed {
  level: u32,
  reach: u32, // half the core, fixed point
  ranges: array<vec4u, RANGES>, // first id and how many
}

// Of `sum`, and of `count`, whose totals are those of cells:
@group(0) @binding(0) var<uniform> followed: Followed;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(2) var<storage, read> ids: array<u32>; // [N]
@group(0) @binding(3) var<storage, read> images: array<u32>; // [N], isolated
@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>; // of each level and cube: count and separations, 3 words each
// Of `settle`:
@group(0) @binding(5) var<storage, read_write> settled: array<LevelPlace, LEVELS>;

const GROUP = 64u;
const QUANTITIES = 4u * CUBES;
const WORDS = 12u; // of a cube

fn isFollowed(id: u32) -> bool {
  var found = false;
  for (var i = 0u; i < RANGES; i++) {
    found = found || id - followed.ranges[i].x < followed.ranges[i].y;
  }
  return found;
}

@compute @workgroup_size(GROUP)
fn count(invocation: Invocation) {
  let first = flatIndex(invocation, GROUP) * u32(RUN);
  for (var slot = first; slot < min(first + u32(RUN), arrayLength(&ids)); slot++) {
    if (!isFollowed(ids[slot]) || imageOf(slot) != 0u) { continue; }
    let cell = positionOf(slot) >> vec3u(countLeadingZeros(START_CELLS) + 1u);
    atomicAdd(&totals[(cell.z * START_CELLS + cell.y) * START_CELLS + cell.x], 1u);
  }
}

@compute @workgroup_size(GROUP)
fn sum(invocation: Invocation) {
  let centre = places[followed.level].centre + bitcast<vec3u>(places[followed.level].moved);
  let planes = planesAround(centre.z, followed.reach);
  let slots = runInPlanes(flatIndex(invocation, GROUP), arrayLength(&ids), planes);
  var sums: Sums;
  for (var slot = slots.x; slot < slots.y; slot++) {
    if (!isFollowed(ids[slot]) || imageOf(slot) != 0u) { continue; }
    let u = positionOf(slot);
    let d = bitcast<vec3i>(u - centre);
    // In an isolated box those beyond a face aren't near.
    let around = ISOLATED && any((d < vec3i(0)) != (u < centre));
    for (var w = 0u; w < CUBES; w++) {
      if (around || any(abs(d) > vec3i(i32(followed.reach >> w)))) { break; }
      sums[4u * w] = plus(sums[4u * w], vec2u(1u, 0u));
      for (var axis = 0u; axis < 3u; axis++) {
        sums[4u * w + 1u + axis] = plus(sums[4u * w + 1u + axis], signedTerm(d[axis]));
      }
    }
  }
  addToTotals(&sums, WORDS * CUBES * followed.level, invocation.local);
}

@compute @workgroup_size(1)
fn settle() {
  for (var level = 0u; level < LEVELS; level++) {
    var place = settled[level];
    var at = WORDS * CUBES * OUTERMOST[level];
    var found = totalAsFloat(at);
    let isKnown = place.found > 0u;
    place.found = u32(found);
    for (var w = 1u; w < CUBES && isKnown; w++) {
      let within = totalAsFloat(at + WORDS);
      if (within < LEAST || 3.0 * within < found) { break; }
      at += WORDS;
      found = within;
    }
    let sums = vec3f(totalAsFloat(at + 3u), totalAsFloat(at + 6u), totalAsFloat(at + 9u));
    place.moved = select(vec3i(0), place.moved + vec3i(round(sums / max(found, 1.0))), found > 0.0);
    place.centre += bitcast<vec3u>(place.moved);
    for (var axis = 0u; axis < 3u; axis++) {
      let corner = wideProduct(place.centre[axis], place.perBox / place.refinement);
      let nearest = corner.x + (corner.y >> 31u);
      place.first[axis] = (place.refinement * nearest + place.perBox - place.cells / 2u) % place.perBox;
    }
    settled[level] = place;
  }
}
