// Kick-drift-kick leapfrog as predictor and corrector, for one particle (Quinn et al. 1997). With h = dt/2:
//   predict  x + v dt + a dt²/2: half kick and drift, at the end of the step the final place
//   correct  v₁ = v₀ + h(a₀ + a₁): both half kicks
// Step: √(2νε/|a|).
//#import "hermite-steps.wgsl"
//#import "../../../physics/potentials/forces.wgsl"

struct Derivatives {
  acceleration: vec3f,
  accelerationLow: vec3f,
}

fn predicted(p: Particle, d: Derivatives, dt: f32) -> Body {
  let x = drifted(p, dt, scaled3(Pair3(d.acceleration, d.accelerationLow), 0.5 * dt * dt));
  return Body(x.high, p.mass, x.low, p.id);
}

fn totalAcceleration(f: Force, b: Body) -> Pair3 {
  let applied = externalForces(b.position, vec3f(0.0), vec3f(0.0));
  return pairAddFloat3(Pair3(f.acceleration, f.accelerationLow), applied.acceleration);
}

fn wantedStep(a: vec3f) -> f32 {
  let size = largestOf(a);
  if (size < NOTHING) { return FOREVER; }
  return rootOfRatio(2.0 * settings.nu * settings.softening, size * length(a / size));
}

fn corrected(p: Particle, d: Derivatives, b: Body, f: Force, dt: f32) -> Corrected {
  let a1 = totalAcceleration(f, b);
  let kick = scaled3(pairAdd3(a1, Pair3(d.acceleration, d.accelerationLow)), 0.5 * dt);
  let v1 = pairAdd3(Pair3(p.velocity, p.velocityLow), kick);
  return Corrected(
    Particle(b.position, p.mass, b.positionLow, p.id, v1.high, p.time, v1.low, p.step),
    Derivatives(a1.high, a1.low),
    wantedStep(a1.high),
  );
}

// Derivatives and step of a particle that starts from its position and velocity alone.
fn started(p: Particle, b: Body, f: Force) -> Corrected {
  let a = totalAcceleration(f, b);
  return Corrected(p, Derivatives(a.high, a.low), wantedStep(a.high));
}
