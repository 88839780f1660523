// Two neighbours of a row, one after the other.
//#expects planeOf, put

fn pairOf(at: u32, isThere: bool, plane: u32) -> vec2f {
  return vec2f(planeOf(at, plane), select(0.0, planeOf(select(at, at + 1u, isThere), plane), isThere));
}

fn putPair(at: u32, isThere: bool, left: vec3f, right: vec3f) {
  put(at, left);
  if (isThere) { put(at + 1u, right); }
}
