// Hermite integrator of 4th order, for one particle (Makino & Aarseth 1992; Portegies Zwart+ 2007, eqs. 3-9). With
// h = dt/2, A± = a₁ ± a₀, J± = (j₁ ± j₀)h:
//   predict  x + v dt + a dt²/2 + j dt³/6, v + a dt + j dt²/2
//   correct  v₁ = v₀ + h(A₊ − J₋/3), x₁ = x₀ + h(v₀ + v₁) − h²A₋/3
//   at the end of the step, for the criterion: snap = J₋/2h² + h·crackle
// The crackle is the difference of the snaps J₋/2h² half way through this step and the last. That of the interpolation,
// 3(J₊ − A₋)/2h³, would do in float64, but its float32 noise goes with h⁻³ and drives small steps to ever smaller ones.
// First step: κν|a|/|j|.
//#import "hermite-steps.wgsl"
//#import "../../../physics/potentials/forces.wgsl"

struct Derivatives {
  acceleration: vec3f,
  accelerationLow: vec3f,
  jerk: vec3f,
  snap: vec3f, // half way through the last step
  span: f32, // the last step; 0 before the first
}

fn predicted(p: Particle, d: Derivatives, dt: f32) -> Body {
  let x = drifted(p, dt, pairOf3((0.5 * dt * dt) * fma(vec3f(dt / 3.0), d.jerk, d.acceleration)));
  let v = fma(vec3f(dt), fma(vec3f(0.5 * dt), d.jerk, d.acceleration), p.velocity);
  return Body(x.high, p.mass, x.low, p.id, v);
}

// Acceleration and jerk of everything; no snap.
fn totalDerivatives(f: Force, b: Body) -> Derivatives {
  let applied = externalForces(b.position, b.velocity, vec3f(0.0));
  let a = pairAddFloat3(Pair3(f.acceleration, f.accelerationLow), applied.acceleration);
  return Derivatives(a.high, a.low, f.jerk + applied.jerk, vec3f(0.0), 0.0);
}

fn corrected(p: Particle, d: Derivatives, b: Body, f: Force, dt: f32) -> Corrected {
  let h = 0.5 * dt;
  var after = totalDerivatives(f, b);
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
  after.snap = jChange * (0.5 / (h * h));
  after.span = dt;
  // Times h³ and h².
  var crackle = 1.5 * (jSum - aChange);
  if (d.span > 0.0) { crackle = (after.snap - d.snap) * (h * h * h / fma(0.5, d.span, h)); }
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
  return Corrected(p, d, FIRST_STEP * settings.nu * sizeRatio(d.acceleration, d.jerk));
}
