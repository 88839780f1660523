// Hermite integrator of 4th order, for one particle (Makino & Aarseth 1992; Portegies Zwart+ 2007, eqs. 3-9). With
// h = dt/2, A± = a₁ ± a₀, J± = (j₁ ± j₀)h:
//   predict  x + v dt + a dt²/2 + j dt³/6, v + a dt + j dt²/2
//   correct  v₁ = v₀ + h(A₊ − J₋/3), x₁ = x₀ + h(v₀ + v₁) − h²A₋/3
//   at the end of the step: crackle = 3(J₊ − A₋)/2h³, snap = J₋/2h² + h·crackle
// First step: ν|a|/|j|. Needs lib/double-single.wgsl, lib/body-jerk.wgsl, lib/hermite-state.wgsl,
// lib/hermite-steps.wgsl and lib/hermite-external.wgsl.

struct Derivatives {
  acceleration: vec3f,
  padding0: f32,
  accelerationLow: vec3f,
  padding1: f32,
  jerk: vec3f,
  padding2: f32,
}

// As in lib/force-jerk.wgsl.
struct Force {
  acceleration: vec3f,
  potential: f32,
  accelerationLow: vec3f,
  potentialLow: f32,
  jerk: vec3f,
  padding: f32,
}

struct Corrected {
  particle: Particle,
  derivatives: Derivatives,
  wanted: f32, // step, in units of the largest
}

fn predicted(p: Particle, d: Derivatives, dt: f32) -> Body {
  let x = drifted(p, dt, (0.5 * dt * dt) * fma(vec3f(dt / 3.0), d.jerk, d.acceleration));
  let v = fma(vec3f(dt), fma(vec3f(0.5 * dt), d.jerk, d.acceleration), p.velocity);
  return Body(x.high, p.mass, x.low, p.id, v, 0.0);
}

// Acceleration and jerk of everything.
fn totalDerivatives(f: Force, b: Body) -> Derivatives {
  let field = fieldForces(b.position, b.velocity, vec3f(0.0));
  let a = pairAddFloat3(Pair3(f.acceleration, f.accelerationLow), field.acceleration);
  return Derivatives(a.high, 0.0, a.low, 0.0, f.jerk + field.jerk, 0.0);
}

fn corrected(p: Particle, d: Derivatives, b: Body, f: Force, dt: f32) -> Corrected {
  let h = 0.5 * dt;
  let after = totalDerivatives(f, b);
  let a0 = Pair3(d.acceleration, d.accelerationLow);
  let a1 = Pair3(after.acceleration, after.accelerationLow);
  let aSum = pairAdd3(a1, a0);
  let aChange = pairSubtract3(a1, a0).high;
  let jSum = h * (after.jerk + d.jerk);
  let jChange = h * (after.jerk - d.jerk);
  let v0 = Pair3(p.velocity, p.velocityLow);
  let v1 = pairAdd3(v0, scaled3(pairAddFloat3(aSum, jChange * (-1.0 / 3.0)), h));
  let way = pairAddFloat3(scaled3(pairAdd3(v0, v1), h), aChange * (h * h * (-1.0 / 3.0)));
  let x1 = pairAdd3(Pair3(p.position, p.positionLow), way);
  let crackle = 1.5 * (jSum - aChange);
  let snap = fma(vec3f(0.5), jChange, crackle);
  return Corrected(
    Particle(x1.high, p.mass, x1.low, p.id, v1.high, p.time, v1.low, p.step),
    after,
    h * step4(settings.nu, after.acceleration, h * after.jerk, snap, crackle),
  );
}

// Derivatives and step of a particle that starts from its position and velocity alone.
fn started(p: Particle, b: Body, f: Force) -> Corrected {
  let d = totalDerivatives(f, b);
  let a = d.acceleration;
  let scale = max(largestOf(a), largestOf(d.jerk));
  var wanted = FOREVER;
  if (scale >= NOTHING) {
    // Where the acceleration vanishes but not the jerk, as at the centre of a field, a small part of the largest step.
    let size = length(a / scale);
    let ofJerk = length(d.jerk / scale);
    if (size == 0.0) { wanted = settings.nu; } else if (ofJerk > 0.0) { wanted = settings.nu * size / ofJerk; }
  }
  return Corrected(p, d, wanted);
}
