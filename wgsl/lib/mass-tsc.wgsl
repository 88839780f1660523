// Sums of TSC masses by columns along x, for one dz: components are dy = -1, 0, 1.
//#import "mass.wgsl"

struct Columns {
  last: vec3u, // column before the base cell
  here: vec3u,
  next: vec3u,
}

// Masses of one plane (dz), split over dy and then over the columns.
fn columnsOf(mass: u32, outerX: vec2u, outerY: vec2u) -> Columns {
  let m = splitInThree(mass, outerY);
  let last = vec3u(weightedMass(m.x, outerX.x), weightedMass(m.y, outerX.x), weightedMass(m.z, outerX.x));
  let next = vec3u(weightedMass(m.x, outerX.y), weightedMass(m.y, outerX.y), weightedMass(m.z, outerX.y));
  return Columns(last, m - last - next, next);
}
