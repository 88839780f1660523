// Hermite integrator of 6th order, for one particle (Nitadori & Makino 2008, section 2). With h = dt/2, A± = a₁ ± a₀,
// J± = (j₁ ± j₀)h, S± = (s₁ ± s₀)h²:
//   predict  Taylor: x to dt⁵, v to dt⁴, a to dt³
//   correct  v₁ = v₀ + h(A₊ − ⅖J₋ + S₊/15), x₁ = x₀ + h(v₀ + v₁) + h²(−⅖A₋ + J₊/15)
//   half way: crackle = ¾h⁻³(−5A₋ + 5J₊ − S₋), a4 = 1.5h⁻⁴(−J₋ + S₊), a5 = 7.5h⁻⁵(3A₋ − 3J₊ + S₋),
//   carried on to the end of the step by Taylor
// Step: the mean of the 4th- and the 6th-order criterion, for the latter alone runs away to ever shorter steps when
// float32 noise reaches a4 and a5 (Bédorf+ 2015, §3.7); the former does, too, with the crackle above.
// First step: κη√(|a|/|s|), crackle 0.
//#import "hermite-steps.wgsl"
//#import "../../../physics/potentials/forces.wgsl"

struct Derivatives {
  acceleration: vec3f,
  accelerationLow: vec3f,
  jerk: vec3f,
  snap: vec3f,
  crackle: vec3f,
}

fn predicted(p: Particle, d: Derivatives, dt: f32) -> Body {
  let t = vec3f(dt);
  let forX = fma(t / 4.0, fma(t / 5.0, d.crackle, d.snap), d.jerk);
  let forV = fma(t / 3.0, fma(t / 4.0, d.crackle, d.snap), d.jerk);
  let forA = fma(t / 2.0, fma(t / 3.0, d.crackle, d.snap), d.jerk);
  let x = drifted(p, dt, pairOf3((0.5 * dt * dt) * fma(t / 3.0, forX, d.acceleration)));
  let v = fma(t, fma(0.5 * t, forV, d.acceleration), p.velocity);
  return Body(x.high, p.mass, x.low, p.id, v, fma(t, forA, d.acceleration));
}

// Acceleration, jerk and snap of everything; no crackle.
fn totalDerivatives(f: Force, b: Body) -> Derivatives {
  let applied = externalForces(b.position, b.velocity, b.acceleration);
  let a = pairAddFloat3(Pair3(f.acceleration, f.accelerationLow), applied.acceleration);
  return Derivatives(a.high, a.low, f.jerk + applied.jerk, f.snap + applied.snap, vec3f(0.0));
}

fn corrected(p: Particle, d: Derivatives, b: Body, f: Force, dt: f32) -> Corrected {
  let h = 0.5 * dt;
  let h2 = h * h;
  var after = totalDerivatives(f, b);
  let a0 = Pair3(d.acceleration, d.accelerationLow);
  let a1 = Pair3(after.acceleration, after.accelerationLow);
  let aSum = pairAdd3(a1, a0);
  let aChange = pairSubtract3(a1, a0).high;
  let jSum = h * (after.jerk + d.jerk);
  let jChange = h * (after.jerk - d.jerk);
  let sSum = h2 * (after.snap + d.snap);
  let sChange = h2 * (after.snap - d.snap);
  let v0 = Pair3(p.velocity, p.velocityLow);
  let v1 = pairAdd3(v0, scaled3(pairAddFloat3(aSum, fma(vec3f(-0.4), jChange, sSum / 15.0)), h));
  let curve = h2 * fma(vec3f(-0.4), aChange, jSum / 15.0);
  let x1 = pairAdd3(Pair3(p.position, p.positionLow), pairAddFloat3(scaled3(pairAdd3(v0, v1), h), curve));
  // Times h³, h⁴ and h⁵.
  let fourth = 1.5 * (sSum - jChange);
  let fifth = 7.5 * fma(vec3f(3.0), aChange - jSum, sChange);
  let crackle = fma(vec3f(0.5), fifth, fma(vec3f(0.75), fma(vec3f(5.0), jSum - aChange, -sChange), fourth));
  let inverse = 1.0 / h;
  after.crackle = crackle * inverse * inverse * inverse;
  let a = after.acceleration;
  let j = h * after.jerk;
  let s = h2 * after.snap;
  // For the criteria the crackle half way from the snaps alone, whose noise goes with 1/h, not with 1/h³.
  let ofSnaps = 0.5 * sChange;
  let wanted4 = step4(settings.nu, a, j, s, ofSnaps);
  let wanted6 = step6(settings.eta, a, j, s, ofSnaps, fourth + fifth, fifth);
  return Corrected(
    Particle(x1.high, p.mass, x1.low, p.id, v1.high, p.time, v1.low, p.step),
    after,
    h * 0.5 * (wanted4 + wanted6),
  );
}

// Derivatives and step of a particle that starts from its position and velocity alone: a first pass yields acceleration
// and jerk, a second, with the acceleration known, the snap.
fn started(p: Particle, b: Body, f: Force) -> Corrected {
  let d = totalDerivatives(f, b);
  return Corrected(p, d, FIRST_STEP * settings.eta * sqrt(sizeRatio(d.acceleration, d.snap)));
}
