// Whether particles are on the meshes of levels: in an isolated box those so far inside the faces that B-splines take their mass
// to the box, and not around them, which is on the same side of the mesh's first cell as its centre.
//#import "../../../lib/cells.wgsl"
//#import "level-places.wgsl"
//#expects ISOLATED, LEVELS

fn isOnLevel(level: u32, u: vec3u, image: u32) -> bool {
  let place = places[level];
  let n = place.perBox;
  let inBox = vec3u(baseAmong(u.x, 0u, n).x, baseAmong(u.y, 0u, n).x, baseAmong(u.z, 0u, n).x);
  let around = inBox < place.first;
  if (ISOLATED) {
    let c = place.centre;
    let middle = vec3u(wideProduct(c.x, n).x, wideProduct(c.y, n).x, wideProduct(c.z, n).x);
    let isBeside = all(around == (middle < place.first));
    if (!isBeside || !insideCube(inBox - place.edge, image, n - 2u * place.edge)) { return false; }
  }
  return insideCube(inBox - place.first + select(vec3u(0u), vec3u(n), around), image, place.cells);
}

fn isOnAny(levels: u32, u: vec3u, image: u32) -> bool {
  var found = false;
  for (var level = 0u; level < LEVELS; level++) {
    if ((levels & (1u << level)) != 0u) { found = found || isOnLevel(level, u, image); }
  }
  return found;
}
