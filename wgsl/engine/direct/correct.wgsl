// Many workgroups, on all particles:
//   predict  bodies at the tick that all blocks have reached, from particles that may be behind it: for sums and
//            read-outs, and for the first forces
//   start    derivatives and steps from positions and velocities alone
//   correct  the members of a block; each workgroup leaves the earliest time at which one of its particles is due
//#import "../../lib/grid.wgsl"
//#import "lib/hermite-advance.wgsl"
//#expects started, TOGETHER (all particles take the same step)

@group(0) @binding(6) var<storage, read> slots: array<u32>; // by particle: its place in the list
@group(0) @binding(7) var<storage, read_write> due: array<u32>; // by workgroup: earliest end of a step

const GROUP = 256u;

var<workgroup> earliest: atomic<u32>;

@compute @workgroup_size(GROUP)
fn predict(invocation: Invocation) {
  pairZero = settings.zero;
  let i = flatIndex(invocation, GROUP);
  if (i < settings.count) { predictParticle(i, control.reached); }
}

@compute @workgroup_size(GROUP)
fn start(invocation: Invocation) {
  pairZero = settings.zero;
  let i = flatIndex(invocation, GROUP);
  if (i < settings.count) {
    let c = started(particles[i], bodies[i], forces[i]);
    noteFaults(i, c, 1u);
    derivatives[i] = c.derivatives;
    particles[i].step = ticksWithin(c.wanted); // 0 is for the host to judge
  }
}

@compute @workgroup_size(GROUP)
fn correct(invocation: Invocation) {
  let local = invocation.local;
  pairZero = settings.zero;
  let group = flatWorkgroup(invocation);
  let i = group * GROUP + local;
  if (local == 0u) { atomicStore(&earliest, NOBODY); }
  let ends = control.members > 0u && !waits();
  if (ends && i < settings.count) {
    if (TOGETHER) {
      correctParticle(i, forces[i]);
    } else if (particles[i].time + particles[i].step == control.now) {
      correctParticle(i, forces[slots[i]]);
    }
  }
  workgroupBarrier();
  if (i < settings.count) { atomicMin(&earliest, particles[i].time + particles[i].step); }
  workgroupBarrier();
  // Folding the grid into two dimensions may add idle workgroups.
  if (local == 0u && group * GROUP < settings.count) { due[group] = atomicLoad(&earliest); }
  if (local == 0u && group == 0u && ends) { bookEnd(); }
}
