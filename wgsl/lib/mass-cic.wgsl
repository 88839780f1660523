// A CIC mass by columns along x.
//#import "mass.wgsl"

// Masses of a particle at its base cell and the next x; components (dy, dz) = 00, 10, 01, 11.
struct Columns {
  here: vec4u,
  next: vec4u,
}

fn columnsOf(mass: u32, offsets: vec3u) -> Columns {
  let z = splitInTwo(mass, offsets.z);
  let m = vec4u(splitInTwo(z.x, offsets.y), splitInTwo(z.y, offsets.y));
  let right = vec4u(weightedMass(m.x, offsets.x), weightedMass(m.y, offsets.x), weightedMass(m.z, offsets.x), weightedMass(m.w, offsets.x));
  return Columns(m - right, right);
}
