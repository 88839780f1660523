// The force of one body on another, and sums of it, of the order that a kernel is for:
//   A = Σ Gm r/ρ³,  −φ = Σ Gm/ρ
//   JERK  J = Σ Gm k/ρ³,  k = v − 3αr,  α = r·v/ρ²                            (Portegies Zwart+ 2007, eq. 1)
//   SNAP  S = Σ Gm (a − 6αk − 3βr)/ρ³,  β = (v² + r·a)/ρ² + α²                (Nitadori & Makino 2008, eqs. 10–12)
//#import "body.wgsl"
//#import "force-job.wgsl"
//#import "force-pair.wgsl"
//#expects JERK, SNAP

// Sums over a slice of sources, in float32.
struct Sums {
  acceleration: vec3f,
  depth: f32, // −φ
//#if JERK
  jerk: vec3f,
//#end
//#if SNAP
  snap: vec3f,
//#end
}

// Sums over slices, or over stretches of them, in pairs.
struct Totals {
  acceleration: Pair3,
  depth: Pair,
//#if JERK
  jerk: Pair3,
//#end
//#if SNAP
  snap: Pair3,
//#end
}

// The sums with the force of `there` on `here` added.
fn withPair(sums: Sums, here: Body, there: Body) -> Sums {
  let r = separation(here, there);
  let reach = reachOf(here, there, squareOf(r, job.softening2));
  let gmr = reach.mass * reach.inverse;
  let gmr3 = (gmr * reach.inverse) * reach.inverse; // no power of 1/ρ by itself: it would overflow first
//#if JERK
  let v = there.velocity - here.velocity;
  let alpha = (dot3(r, v) * reach.inverse) * reach.inverse;
  let k = axpy(-3.0 * alpha, r, v);
//#end
//#if SNAP
  let a = there.acceleration - here.acceleration;
  let beta = fma(alpha, alpha, (squareOf(v, dot3(r, a)) * reach.inverse) * reach.inverse);
//#end
  return Sums(
    axpy(gmr3, r, sums.acceleration),
    fma(reach.mass, reach.inverse, sums.depth),
//#if JERK
    axpy(gmr3, k, sums.jerk),
//#end
//#if SNAP
    axpy(gmr3, axpy(-3.0 * beta, r, axpy(-6.0 * alpha, k, a)), sums.snap),
//#end
  );
}

fn withSlice(totals: Totals, sums: Sums) -> Totals {
  return Totals(
    pairAddFloat3(totals.acceleration, sums.acceleration),
    pairAddFloat(totals.depth, sums.depth),
//#if JERK
    pairAddFloat3(totals.jerk, sums.jerk),
//#end
//#if SNAP
    pairAddFloat3(totals.snap, sums.snap),
//#end
  );
}

fn withStretch(totals: Totals, stretch: Totals) -> Totals {
  return Totals(
    pairAdd3(totals.acceleration, stretch.acceleration),
    pairAdd(totals.depth, stretch.depth),
//#if JERK
    pairAdd3(totals.jerk, stretch.jerk),
//#end
//#if SNAP
    pairAdd3(totals.snap, stretch.snap),
//#end
  );
}

fn totalsOf(force: Force) -> Totals {
  var totals: Totals;
  totals.acceleration = Pair3(force.acceleration, force.accelerationLow);
  totals.depth = Pair(-force.potential, -force.potentialLow);
//#if JERK
  totals.jerk.high = force.jerk;
//#end
//#if SNAP
  totals.snap.high = force.snap;
//#end
  return totals;
}

fn forceOf(totals: Totals) -> Force {
  let a = totals.acceleration;
  return Force(
    a.high, -totals.depth.high, a.low, -totals.depth.low,
//#if JERK
    totals.jerk.high,
//#end
//#if SNAP
    totals.snap.high,
//#end
  );
}
