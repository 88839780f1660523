// Where the block loop is (src/engine/direct/control.ts has the words by name). `members` is what the force kernels take their
// number of targets from, and those of a long sum the four words of the part.
struct Control {
  members: u32, // particles of the block in progress; 0 between blocks
  now: u32, // tick at which that block ends; 0: nothing to do
  reached: u32, // tick that all blocks so far have reached
  stepsDone: u32, // largest steps behind
  stepsWanted: u32, // largest steps after which to stop
  blocks: u32, // 64 bits in two words, as the next
  blocksHigh: u32,
  particleSteps: u32,
  particleStepsHigh: u32,
  tooShort: atomic<u32>, // lowest particle whose step fell below a tick
  notFinite: atomic<u32>, // lowest particle that is nowhere
  begun: u32, // largest steps behind when the block in progress began; up to here a checkpoint has it
  sum: u32, // how far the forces on the block in progress are, where they are summed in rounds
  // Of a submission:
  share: u32, // what it may still begin, in sums over a slice of the sources for one target
  rounds: u32, // those that had anything to sum
  // The part of the forces that a round sums: targets of the block, and sources.
  firstTarget: u32,
  endTarget: u32,
  firstSource: u32,
  endSource: u32,
}

// Values of `sum`.
const TO_BEGIN = 1u;
const BEGUN = 2u;
const TO_EXCHANGE = 3u; // this rank's part is summed
