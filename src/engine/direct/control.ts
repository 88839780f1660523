/** Control words of the block loop (wgsl/engine/direct/lib/block-control.wgsl): its progress, its orders and its findings. */

/** Ticks of the largest step, as in WGSL. */
export const LARGEST_TICKS = 2 ** 30;
const NOBODY = 0xffff_ffff;

/** Words of `Control` in WGSL. */
export const CONTROL = {
  members: 0,
  now: 1,
  reached: 2,
  stepsDone: 3,
  stepsWanted: 4,
  blocks: 5,
  particleSteps: 7,
  tooShort: 9,
  notFinite: 10,
  begun: 11,
  sum: 12,
  share: 13,
  rounds: 14,
  firstTarget: 15,
} as const;
const CONTROL_WORDS = 20;
/** Those that a checkpoint holds; the others are a submission's. */
export const SAVED_WORDS = 12;
/** Values of the word `sum`. */
export const SUM = { done: 0, toBegin: 1, begun: 2, toExchange: 3 } as const;

/** What the control words say. */
export interface DirectProgress {
  /** Largest steps done, the begun one as a fraction. */
  steps: number;
  /** Ticks into the begun step; 0 when all particles are at the end of one. */
  reached: number;
  blocks: number;
  particleSteps: number;
  /** A particle whose step fell below a tick, or that is nowhere. */
  tooShort: number | undefined;
  notFinite: number | undefined;
  /** How far the forces begun last are: one of SUM. */
  sum: number;
  /** Particles of the block in progress, or of the last one. */
  members: number;
  /** Rounds of forces of the last submission, and what it left of its share. */
  rounds: number;
  share: number;
}

/** Progress that control words tell. */
export function progressOf(words: Uint32Array): DirectProgress {
  const wide = (at: number) => words[at] + 2 ** 32 * words[at + 1];
  const particle = (at: number) => (words[at] === NOBODY ? undefined : words[at]);
  return {
    steps: words[CONTROL.stepsDone] + words[CONTROL.reached] / LARGEST_TICKS,
    reached: words[CONTROL.reached],
    blocks: wide(CONTROL.blocks),
    particleSteps: wide(CONTROL.particleSteps),
    tooShort: particle(CONTROL.tooShort),
    notFinite: particle(CONTROL.notFinite),
    sum: words[CONTROL.sum] ?? SUM.done,
    members: words[CONTROL.members],
    rounds: words[CONTROL.rounds] ?? 0,
    share: words[CONTROL.share] ?? 0,
  };
}

/** Control words at the start. */
export function controlWords(): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(CONTROL_WORDS);
  words[CONTROL.tooShort] = NOBODY;
  words[CONTROL.notFinite] = NOBODY;
  return words;
}
