// Acceleration and potential.
//   A = Σ Gm r/ρ³,  −φ = Σ Gm/ρ
//#import "body-acceleration.wgsl"
//#import "force-job.wgsl"
//#import "force-pair.wgsl"

// A result, 32 bytes: normalised pairs.
struct Force {
  acceleration: vec3f,
  potential: f32,
  accelerationLow: vec3f,
  potentialLow: f32,
}

// Sums over a slice of sources, in float32.
struct Sums {
  acceleration: vec3f,
  depth: f32, // −φ
}

// Sums over slices, or over stretches of them, in pairs.
struct Totals {
  acceleration: Pair3,
  depth: Pair,
}

fn noSums() -> Sums {
  return Sums(vec3f(0.0), 0.0);
}

// The sums with the force of `there` on `here` added.
fn withPair(sums: Sums, here: Body, there: Body) -> Sums {
  let r = separation(here, there);
  let reach = reachOf(here, there, squareOf(r, job.softening2));
  let gmr = reach.mass * reach.inverse;
  let gmr3 = (gmr * reach.inverse) * reach.inverse; // no power of 1/ρ by itself: it would overflow first
  return Sums(axpy(gmr3, r, sums.acceleration), fma(reach.mass, reach.inverse, sums.depth));
}

fn noTotals() -> Totals {
  return Totals(Pair3(vec3f(0.0), vec3f(0.0)), Pair(0.0, 0.0));
}

fn withSlice(totals: Totals, sums: Sums) -> Totals {
  return Totals(pairAddFloat3(totals.acceleration, sums.acceleration), pairAddFloat(totals.depth, sums.depth));
}

fn withStretch(totals: Totals, stretch: Totals) -> Totals {
  return Totals(pairAdd3(totals.acceleration, stretch.acceleration), pairAdd(totals.depth, stretch.depth));
}

fn totalsOf(force: Force) -> Totals {
  return Totals(Pair3(force.acceleration, force.accelerationLow), Pair(-force.potential, -force.potentialLow));
}

fn forceOf(totals: Totals) -> Force {
  let a = totals.acceleration;
  return Force(a.high, -totals.depth.high, a.low, -totals.depth.low);
}
