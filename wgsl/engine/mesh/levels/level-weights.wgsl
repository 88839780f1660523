// What each level and the mesh of the box contribute to the field at a point. A level's weight is 1 in its core and falls to 0
// over BLEND of its parent's cells, about its true centre. Those of the smallest cells take their part first, among equals the
// one with the largest weight; what is left is for the others, and in the end for the box: parts add up to 1.
//#import "level-members.wgsl"
//#expects BLEND, ISOLATED, LEVELS

fn coreWeight(level: u32, u: vec3u, image: u32) -> f32 {
  if (!isOnLevel(level, u, image)) {
    return 0.0;
  }
  let place = places[level];
  let parentCells = 0x1p-32 * f32(place.perBox / place.refinement);
  // Around the faces of a periodic box, if that is nearer.
  let d = select(min(u - place.centre, place.centre - u), max(u, place.centre) - min(u, place.centre), ISOLATED);
  var inside = place.core - f32(max(d.x, max(d.y, d.z))) * parentCells;
  if (ISOLATED) {
    let toFace = min(u, ~u);
    inside = min(inside, f32(min(toFace.x, min(toFace.y, toFace.z))) * parentCells - place.faceMargin);
  }
  let t = clamp(inside / f32(BLEND), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

// Of a level; of the box for LEVELS.
fn shareOf(level: u32, u: vec3u, image: u32) -> f32 {
  let ofBox = level == LEVELS;
  let weight = select(coreWeight(min(level, LEVELS - 1u), u, image), 1.0, ofBox);
  if (weight == 0.0) {
    return 0.0;
  }
  var share = weight;
  for (var other = 0u; other < LEVELS; other++) {
    if (other == level) { continue; }
    let finer = select(places[other].perBox, 0xffffffffu, ofBox);
    let own = places[min(level, LEVELS - 1u)].perBox;
    if (finer < own) { continue; }
    let others = coreWeight(other, u, image);
    if (finer > own || others > weight || (others == weight && other < level)) { share *= 1.0 - others; }
  }
  return share;
}
