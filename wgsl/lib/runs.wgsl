// Which elements an invocation takes that takes several: in turn with as many neighbours as a processor's vector has lanes,
// so that these have neighbouring elements before them.

const LANES = 8u;

// The first of the `run` elements of an invocation.
fn firstOfRun(index: u32, run: u32) -> u32 {
  return index / LANES * (LANES * run) + index % LANES;
}

// The same within `range`, and the end: LANES apart.
fn runIn(range: vec2u, index: u32, run: u32) -> vec2u {
  let first = firstOfRun(index, run);
  let before = (max(range.x, first) - first + LANES - 1u) / LANES;
  return vec2u(first + before * LANES, min(first + LANES * run, range.y));
}
