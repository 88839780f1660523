/**
 * How many blocks go into a submission of the block loop, and how the time of the blocks divides over their parts.
 * Timing every part of every block would cost more than the parts: a few blocks at a time are timed part by part, the
 * others as a whole, and the whole is divided as the few were.
 */
import type { StageTime } from "../backend.ts";
import type { StageTimer } from "../gpu/timing.ts";
import type { DirectProgress } from "./state.ts";

/** A submission is kept near this long [ms]: some systems reset a device that doesn't answer for two seconds. */
const SUBMISSION_MS = 350;
/** Bounds the commands that are held in memory. */
const MOST_BLOCKS = 8192;
const GROWTH = 4;
/** Of the first submission, whose blocks are long: many particles start with the same step. */
const FIRST_INTERACTIONS = 2 ** 28;
/** Blocks of a submission that is timed part by part, and submissions from one such to the next. */
const STAGED_BLOCKS = 16;
const STAGED_EVERY = 32;
/** Blocks beyond the number that the last submission lets expect: those not needed do nothing. */
const SPARE_BLOCKS = 2;

/** The stage of blocks that are timed as a whole. */
export const BLOCKS_STAGE = "blocks";

export class BlockPace {
  readonly #parts = new Map<string, number>();
  #blocks: number;
  #blocksPerStep: number | undefined;
  #submissions = 0;
  #before: { progress: DirectProgress; totals: StageTime[]; staged: boolean } | undefined;

  /** `shared`: a block is a step. `fixed`: so many blocks in each submission, whatever they take. */
  constructor(
    private readonly timer: StageTimer,
    count: number,
    private readonly shared: boolean,
    private readonly fixed?: number,
  ) {
    this.#blocks = Math.max(1, Math.min(STAGED_BLOCKS, Math.floor(FIRST_INTERACTIONS / count ** 2)));
  }

  /** What to submit next, on the way to `wanted` largest steps. */
  next(progress: DirectProgress, wanted: number): { blocks: number; staged: boolean } {
    const left = wanted - progress.steps;
    // Not the first: it compiles.
    const often = this.fixed === undefined && this.#submissions++ % STAGED_EVERY === 1;
    const staged = often && this.timer.timestamps;
    const paced = staged ? Math.min(STAGED_BLOCKS, this.#blocks) : this.#blocks;
    let blocks = this.fixed ?? paced;
    if (this.shared) blocks = Math.min(blocks, left);
    else if (this.#blocksPerStep) blocks = Math.min(blocks, Math.ceil(this.#blocksPerStep * left) + SPARE_BLOCKS);
    this.#before = { progress, totals: staged ? this.timer.totals() : [], staged };
    return { blocks, staged };
  }

  /** What the submission of `next` took [ms], and how far it got. */
  took(ms: number, progress: DirectProgress): void {
    const { progress: before, totals, staged } = this.#before!;
    const done = progress.blocks - before.blocks;
    if (done > 0) {
      const fitting = Math.floor((SUBMISSION_MS * done) / Math.max(ms, 0.1));
      this.#blocks = Math.max(1, Math.min(fitting, GROWTH * this.#blocks, MOST_BLOCKS));
      this.#blocksPerStep = done / (progress.steps - before.steps);
    }
    if (!staged) return;
    const earlier = new Map(totals.map(({ stage, ms: sum }) => [stage, sum]));
    for (const { stage, ms: sum } of this.timer.totals()) {
      const part = sum - (earlier.get(stage) ?? 0);
      if (part > 0 && stage !== BLOCKS_STAGE) this.#parts.set(stage, (this.#parts.get(stage) ?? 0) + part);
    }
  }

  /** The timer's totals, with the blocks that were timed as a whole divided over their parts. */
  stageTimes(): StageTime[] {
    const totals = this.timer.totals();
    const whole = totals.find(({ stage }) => stage === BLOCKS_STAGE);
    const sum = [...this.#parts.values()].reduce((a, b) => a + b, 0);
    if (!whole || sum === 0) return totals;
    const rest = totals.filter((total) => total !== whole);
    return rest.map(({ stage, ms, count }) => {
      const share = (this.#parts.get(stage) ?? 0) / sum;
      return { stage, ms: ms + share * whole.ms, count: count + (share > 0 ? whole.count : 0) };
    });
  }
}
