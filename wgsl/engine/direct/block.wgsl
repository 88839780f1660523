// A block of the block-step loop in one workgroup, for few particles: corrects the particles of the block whose forces
// have been computed, finds the next time at which particles are due, lists them, and predicts all particles to that
// time. Between two such dispatches lies one of forces.
//#import "lib/hermite-advance.wgsl"
//#expects MOST (particles), GROUP, TOGETHER (all particles take the same step)

const WORDS = MOST / 32u;

@group(0) @binding(6) var<storage, read_write> list: array<u32>; // members of the block, in ascending order

var<workgroup> earliest: atomic<u32>;
var<workgroup> marks: array<atomic<u32>, WORDS>; // a bit for every particle that is due

@compute @workgroup_size(GROUP)
fn block(@builtin(local_invocation_index) l: u32) {
  pairZero = settings.zero;
  let finished = control.members;
  for (var slot = l; slot < finished; slot += GROUP) {
    if (TOGETHER) {
      correctParticle(slot, forces[slot]);
    } else {
      correctParticle(list[slot], forces[slot]);
    }
  }
  if (l == 0u) { atomicStore(&earliest, NOBODY); }
  let words = (settings.count + 31u) / 32u;
  for (var word = l; word < words; word += GROUP) { atomicStore(&marks[word], 0u); }
  storageBarrier();
  workgroupBarrier();

  if (l == 0u && finished > 0u) { bookEnd(); }
  var ownEarliest = NOBODY;
  for (var i = l; i < settings.count; i += GROUP) {
    ownEarliest = min(ownEarliest, particles[i].time + particles[i].step);
  }
  atomicMin(&earliest, ownEarliest);
  storageBarrier();
  workgroupBarrier();

  // Without anything to do the time is 0, at which no body is due, and bodies stay.
  let begins = settings.closing == 0u && goesOn();
  let now = select(0u, atomicLoad(&earliest), begins);
  let count = select(0u, settings.count, begins);
  for (var i = l; i < count; i += GROUP) {
    if (!TOGETHER && particles[i].time + particles[i].step == now) {
      atomicOr(&marks[i / 32u], 1u << (i % 32u));
    }
    predictParticle(i, now);
  }
  workgroupBarrier();

  for (var word = l; word < words; word += GROUP) {
    var sum = 0u;
    for (var k = 0u; k < word; k++) { sum += countOneBits(atomicLoad(&marks[k])); }
    // A word's bits in ascending order.
    for (var rest = atomicLoad(&marks[word]); rest != 0u; rest &= rest - 1u) {
      list[sum] = 32u * word + countTrailingZeros(rest);
      sum += 1u;
    }
    if (word == words - 1u) {
      control.now = now;
      bookStart(select(sum, count, TOGETHER));
      charge(control.members);
    }
  }
}
