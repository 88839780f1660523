// A block of the block-step loop over many workgroups, for many particles; after correct.wgsl has left the
// earliest times:
//   schedule  the next time at which particles are due; every workgroup predicts its particles to it and counts those
//             that are due
//   enlist    lists them in ascending order: every workgroup adds up the counts before its own
//#import "../../lib/grid.wgsl"
//#import "lib/hermite-advance.wgsl"
//#expects TOGETHER (all particles take the same step), ROUNDS (forces are summed in rounds, which count what they cost)

@group(0) @binding(5) var<storage, read_write> list: array<u32>; // members of the block, in ascending order
@group(0) @binding(6) var<storage, read_write> slots: array<u32>; // by particle: its place in the list
@group(0) @binding(7) var<storage, read_write> due: array<u32>; // by workgroup: earliest end of a step; behind, how many end then

const GROUP = 256u;
const MARKS = GROUP / 32u;

var<workgroup> earliest: atomic<u32>;
var<workgroup> count: atomic<u32>;
var<workgroup> marks: array<atomic<u32>, MARKS>;

fn isDue(i: u32, now: u32) -> bool {
  return i < settings.count && particles[i].time + particles[i].step == now;
}

@compute @workgroup_size(GROUP)
fn schedule(invocation: Invocation) {
  let local = invocation.local;
  pairZero = settings.zero;
  let group = flatWorkgroup(invocation);
  if (local == 0u) {
    atomicStore(&earliest, NOBODY);
    atomicStore(&count, 0u);
  }
  workgroupBarrier();
  var ownEarliest = NOBODY;
  for (var k = local; k < settings.groups; k += GROUP) { ownEarliest = min(ownEarliest, due[k]); }
  atomicMin(&earliest, ownEarliest);
  workgroupBarrier();
  // A block that waits for its forces stays as it is: its members are found anew, and are the same.
  let waiting = waits();
  let begins = !waiting && goesOn();
  // Without anything to do the time is 0, at which no body is due.
  let now = select(select(0u, atomicLoad(&earliest), begins), control.now, waiting);
  let i = group * GROUP + local;
  if (begins && i < settings.count) { predictParticle(i, now); }
  if (!TOGETHER && isDue(i, now)) { atomicAdd(&count, 1u); }
  workgroupBarrier();
  if (local == 0u && group < settings.groups) { due[settings.groups + group] = atomicLoad(&count); }
  if (local == 0u && group == 0u && !waiting) {
    control.now = now;
    if (TOGETHER) { bookStart(select(0u, settings.count, begins)); }
  }
}

@compute @workgroup_size(GROUP)
fn enlist(invocation: Invocation) {
  let local = invocation.local;
  let group = flatWorkgroup(invocation);
  let now = control.now;
  if (local < MARKS) { atomicStore(&marks[local], 0u); }
  if (local == 0u) { atomicStore(&count, 0u); }
  workgroupBarrier();
  let i = group * GROUP + local;
  let mine = isDue(i, now);
  if (mine) { atomicOr(&marks[local / 32u], 1u << (local % 32u)); }
  var ahead = 0u;
  for (var k = local; k < min(group, settings.groups); k += GROUP) { ahead += due[settings.groups + k]; }
  atomicAdd(&count, ahead);
  workgroupBarrier();
  if (mine) {
    var slot = atomicLoad(&count);
    for (var word = 0u; word < local / 32u; word++) { slot += countOneBits(atomicLoad(&marks[word])); }
    slot += countOneBits(atomicLoad(&marks[local / 32u]) & ((1u << (local % 32u)) - 1u));
    list[slot] = i;
    slots[i] = slot;
  }
  if (local == 0u && group == settings.groups - 1u && !waits()) {
    bookStart(atomicLoad(&count) + due[settings.groups + group]);
    if (!ROUNDS) { charge(control.members); }
  }
}
