// One particle's part in a block: its correction at the end of its step, its next step, and the faults that end a run.
//#import "hermite-steps.wgsl"
//#expects corrected, predicted, SLICE

// Notes a particle that can't go on. The lowest number stays, so that it doesn't matter who comes first.
fn noteFaults(i: u32, c: Corrected, step: u32) {
  let place = finite3(c.particle.position) && finite3(c.particle.velocity);
  if (!(place && finite3(c.derivatives.acceleration) && finite3(vec3f(c.wanted)))) {
    atomicMin(&control.notFinite, i);
  } else if (step == 0u) {
    atomicMin(&control.tooShort, i);
  }
}

// Moves particle i to the end of the block in progress, with the force at its predicted place.
fn correctParticle(i: u32, force: Force) {
  let p = particles[i];
  let taken = control.now - p.time;
  let c = corrected(p, derivatives[i], bodies[i], force, interval(taken));
  let step = stepAfter(c.wanted, taken, control.now);
  noteFaults(i, c, step);
  derivatives[i] = c.derivatives;
  particles[i] = c.particle;
  particles[i].time = control.now & (LARGEST - 1u); // the end of a largest step is the start of the next
  particles[i].step = max(step, 1u);
}

fn predictParticle(i: u32, now: u32) {
  let p = particles[i];
  bodies[i] = predicted(p, derivatives[i], interval(now - p.time));
}

// Whether blocks are left to do, the submission may begin another, and nothing has gone wrong.
fn goesOn() -> bool {
  let healthy = min(atomicLoad(&control.tooShort), atomicLoad(&control.notFinite)) == NOBODY;
  return healthy && control.share > 0u && control.stepsDone != control.stepsWanted;
}

// Whether the block in progress waits for rounds of its forces, or for those of other ranks.
fn waits() -> bool {
  return control.sum == BEGUN || control.sum == TO_EXCHANGE;
}

// Books the block in progress as done.
fn bookEnd() {
  control.reached = control.now & (LARGEST - 1u);
  control.stepsDone += control.now >> 30u;
  control.blocks += 1u;
  control.blocksHigh += u32(control.blocks == 0u);
  let before = control.particleSteps;
  control.particleSteps = before + control.members;
  control.particleStepsHigh += u32(control.particleSteps < before);
}

// Books the beginning of a block of `members` particles; its end is set elsewhere.
fn bookStart(members: u32) {
  control.members = members;
  control.begun = control.stepsDone; // which bookEnd() may change while others still look
  control.sum = TO_BEGIN;
}

// Charges a block whose forces are one round's work.
fn charge(members: u32) {
  control.share -= min(control.share, members * ((settings.sources + SLICE - 1u) / SLICE));
}
