// Bodies at the tick that all blocks have reached, from particles that may be behind it: for sums and read-outs, and
// for the first forces.
//#import "../lib/grid.wgsl"
//#import "lib/hermite-advance.wgsl"

const GROUP = 64u;

@compute @workgroup_size(GROUP)
fn predict(invocation: Invocation) {
  pairZero = settings.zero;
  let i = flatIndex(invocation, GROUP);
  if (i < settings.count) { predictParticle(i, control.reached); }
}
