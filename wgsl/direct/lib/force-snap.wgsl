// Acceleration, potential, jerk and snap.
//   A = Σ Gm r/ρ³,  −φ = Σ Gm/ρ,  J = Σ Gm k/ρ³,  S = Σ Gm (a − 6αk − 3βr)/ρ³
//   k = v − 3αr,  α = r·v/ρ²,  β = (v² + r·a)/ρ² + α²                     (Nitadori & Makino 2008, eqs. 10–12)
//#import "body-snap.wgsl"
//#import "force-job.wgsl"
//#import "force-pair.wgsl"

// A result, 64 bytes: normalised pairs, jerk and snap rounded.
struct Force {
  acceleration: vec3f,
  potential: f32,
  accelerationLow: vec3f,
  potentialLow: f32,
  jerk: vec3f,
  pad1: f32,
  snap: vec3f,
  pad2: f32,
}

// Sums over a slice of sources, in float32.
struct Sums {
  acceleration: vec3f,
  depth: f32, // −φ
  jerk: vec3f,
  snap: vec3f,
}

// Sums over slices, or over stretches of them, in pairs.
struct Totals {
  acceleration: Pair3,
  depth: Pair,
  jerk: Pair3,
  snap: Pair3,
}

fn noSums() -> Sums {
  return Sums(vec3f(0.0), 0.0, vec3f(0.0), vec3f(0.0));
}

// The sums with the force of `there` on `here` added.
fn withPair(sums: Sums, here: Body, there: Body) -> Sums {
  let r = separation(here, there);
  let v = there.velocity - here.velocity;
  let a = there.acceleration - here.acceleration;
  let reach = reachOf(here, there, squareOf(r, job.softening2));
  let gmr = reach.mass * reach.inverse;
  let gmr3 = (gmr * reach.inverse) * reach.inverse; // no power of 1/ρ by itself: it would overflow first
  let alpha = (dot3(r, v) * reach.inverse) * reach.inverse;
  let stretch = (squareOf(v, dot3(r, a)) * reach.inverse) * reach.inverse;
  let beta = fma(alpha, alpha, stretch);
  let k = axpy(-3.0 * alpha, r, v);
  return Sums(
    axpy(gmr3, r, sums.acceleration),
    fma(reach.mass, reach.inverse, sums.depth),
    axpy(gmr3, k, sums.jerk),
    axpy(gmr3, axpy(-3.0 * beta, r, axpy(-6.0 * alpha, k, a)), sums.snap),
  );
}

fn noTotals() -> Totals {
  let zero = Pair3(vec3f(0.0), vec3f(0.0));
  return Totals(zero, Pair(0.0, 0.0), zero, zero);
}

fn withSlice(totals: Totals, sums: Sums) -> Totals {
  return Totals(
    pairAddFloat3(totals.acceleration, sums.acceleration),
    pairAddFloat(totals.depth, sums.depth),
    pairAddFloat3(totals.jerk, sums.jerk),
    pairAddFloat3(totals.snap, sums.snap),
  );
}

fn withStretch(totals: Totals, stretch: Totals) -> Totals {
  return Totals(
    pairAdd3(totals.acceleration, stretch.acceleration),
    pairAdd(totals.depth, stretch.depth),
    pairAdd3(totals.jerk, stretch.jerk),
    pairAdd3(totals.snap, stretch.snap),
  );
}

fn totalsOf(force: Force) -> Totals {
  return Totals(
    Pair3(force.acceleration, force.accelerationLow),
    Pair(-force.potential, -force.potentialLow),
    Pair3(force.jerk, vec3f(0.0)),
    Pair3(force.snap, vec3f(0.0)),
  );
}

fn forceOf(totals: Totals) -> Force {
  let a = totals.acceleration;
  return Force(
    a.high, -totals.depth.high, a.low, -totals.depth.low, totals.jerk.high, 0.0, totals.snap.high, 0.0,
  );
}
