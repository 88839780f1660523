// Acceleration, potential and jerk.
//   A = Σ Gm r/ρ³,  −φ = Σ Gm/ρ,  J = Σ Gm (v − 3αr)/ρ³,  α = r·v/ρ²          (Portegies Zwart+ 2007, eq. 1)
//#import "body-jerk.wgsl"
//#import "force-job.wgsl"
//#import "force-pair.wgsl"

// A result, 48 bytes: normalised pairs, the jerk rounded.
struct Force {
  acceleration: vec3f,
  potential: f32,
  accelerationLow: vec3f,
  potentialLow: f32,
  jerk: vec3f,
  pad1: f32,
}

// Sums over a slice of sources, in float32.
struct Sums {
  acceleration: vec3f,
  depth: f32, // −φ
  jerk: vec3f,
}

// Sums over slices, or over stretches of them, in pairs.
struct Totals {
  acceleration: Pair3,
  depth: Pair,
  jerk: Pair3,
}

fn noSums() -> Sums {
  return Sums(vec3f(0.0), 0.0, vec3f(0.0));
}

// The sums with the force of `there` on `here` added.
fn withPair(sums: Sums, here: Body, there: Body) -> Sums {
  let r = separation(here, there);
  let v = there.velocity - here.velocity;
  let reach = reachOf(here, there, squareOf(r, job.softening2));
  let gmr = reach.mass * reach.inverse;
  let gmr3 = (gmr * reach.inverse) * reach.inverse; // no power of 1/ρ by itself: it would overflow first
  let alpha = (dot3(r, v) * reach.inverse) * reach.inverse;
  return Sums(
    axpy(gmr3, r, sums.acceleration),
    fma(reach.mass, reach.inverse, sums.depth),
    axpy(gmr3, axpy(-3.0 * alpha, r, v), sums.jerk),
  );
}

fn noTotals() -> Totals {
  let zero = Pair3(vec3f(0.0), vec3f(0.0));
  return Totals(zero, Pair(0.0, 0.0), zero);
}

fn withSlice(totals: Totals, sums: Sums) -> Totals {
  return Totals(
    pairAddFloat3(totals.acceleration, sums.acceleration),
    pairAddFloat(totals.depth, sums.depth),
    pairAddFloat3(totals.jerk, sums.jerk),
  );
}

fn withStretch(totals: Totals, stretch: Totals) -> Totals {
  return Totals(
    pairAdd3(totals.acceleration, stretch.acceleration),
    pairAdd(totals.depth, stretch.depth),
    pairAdd3(totals.jerk, stretch.jerk),
  );
}

fn totalsOf(force: Force) -> Totals {
  return Totals(
    Pair3(force.acceleration, force.accelerationLow),
    Pair(-force.potential, -force.potentialLow),
    Pair3(force.jerk, vec3f(0.0)),
  );
}

fn forceOf(totals: Totals) -> Force {
  let a = totals.acceleration;
  return Force(a.high, -totals.depth.high, a.low, -totals.depth.low, totals.jerk.high, 0.0);
}
