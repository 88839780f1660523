// A particle's mass on the mesh, in integers: its mass units are split axis by axis, z, then y, then x, and one part of
// each split is what the others leave, so the parts add up exactly. Weights are those of lib/assignment.wgsl (Hockney &
// Eastwood 1988, ch. 5) in units of 2^-24: every kernel, the host and every adapter get the same integers.
//#expects PER_BOX, ORDER (1 NGP, 2 CIC, 3 TSC)

// round(mass · weight / 2^24), exact for mass ≤ 2^22 and weight < 2^24: long multiplication by bytes.
fn weightedMass(mass: u32, weight: u32) -> u32 {
  let low = mass * (weight & 0xffu);
  let middle = mass * ((weight >> 8u) & 0xffu) + (low >> 8u);
  let high = mass * (weight >> 16u) + (middle >> 8u);
  return (high + 128u) >> 8u;
}

// Offsets of a position in its cell [2^-24 cell]: CIC from the centre of the base cell, else from the lower faces.
// They are the low words of u·n: the cell itself isn't needed.
fn offsetsInCell(u: vec3u) -> vec3u {
  let low = u * u32(PER_BOX);
  if (ORDER == 2) { return (low - vec3u(0x80000000u)) >> vec3u(8u); }
  return low >> vec3u(8u);
}

// Masses of the base cell and the next one (CIC).
fn splitInTwo(mass: u32, offset: u32) -> vec2u {
  let next = weightedMass(mass, offset);
  return vec2u(mass - next, next);
}

// TSC weights of the previous and the next cell, (1-o)^2/2 and o^2/2 [2^-24]; o^2 by bytes as in `weightedMass`.
fn outerWeights(offset: u32) -> vec2u {
  let low = offset * (offset & 0xffu);
  let middle = offset * ((offset >> 8u) & 0xffu) + (low >> 8u);
  let high = offset * (offset >> 16u) + (middle >> 8u);
  let next = (high + 256u) >> 9u;
  return vec2u(0x800000u - offset + next, next);
}

// Masses of the previous, the base and the next cell (TSC).
fn splitInThree(mass: u32, outer: vec2u) -> vec3u {
  let previous = weightedMass(mass, outer.x);
  let next = weightedMass(mass, outer.y);
  return vec3u(previous, mass - previous - next, next);
}
