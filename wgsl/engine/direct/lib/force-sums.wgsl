// The force of one body on another, and sums of it, of the order that a kernel is for:
//   A = Σ Gm f r,  −φ = Σ Gm/ρ,  f = 1/ρ³ with Plummer's softening (force-plummer.wgsl), else that of force-spline.wgsl
//   JERK  J = Σ Gm f k,  k = v − 3αr,  α = r·v/ρ²                            (Portegies Zwart+ 2007, eq. 1)
//   SNAP  S = Σ Gm f (a − 6αk − 3βr),  β = (v² + r·a)/ρ² + α²                (Nitadori & Makino 2008, eqs. 10–12)
//#import "body.wgsl"
//#import "force-job.wgsl"
//#import "force-pair.wgsl"
//#expects JERK, SNAP, reachOf, pullOf, deeper, perSquare, bent

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
  let reach = reachOf(here, there, r);
  let pull = pullOf(reach);
//#if JERK
  let v = there.velocity - here.velocity;
  let along = dot3(r, v);
  let alpha = perSquare(reach, along);
  let k = axpy(-3.0 * alpha, r, v);
//#end
//#if SNAP
  let a = there.acceleration - here.acceleration;
  let beta = bent(reach, along, alpha, perSquare(reach, squareOf(v, dot3(r, a))));
//#end
  return Sums(
    axpy(pull, r, sums.acceleration),
    deeper(reach, sums.depth),
//#if JERK
    axpy(pull, k, sums.jerk),
//#end
//#if SNAP
    axpy(pull, axpy(-3.0 * beta, r, axpy(-6.0 * alpha, k, a)), sums.snap),
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
