/**
 * How many blocks go into a submission of the block loop, and how their time divides over their parts: a few blocks at
 * a time are timed part by part, the others as a whole, which is divided as the few were.
 */

import type { StageTimer } from "../../foundation/gpu/timing.ts";
import type { StageTime } from "../backend/backend.ts";
import { type DirectProgress, SUM } from "./control.ts";
import { SLICE } from "./force-shapes.ts";
import { firstGuess, SubmissionPace } from "./pace.ts";

/** A submission is kept near this long [ms]: some systems reset a device that doesn't answer for two seconds. */
const SUBMISSION_MS = 350;
/** Bounds the commands that are held in memory. */
const MOST_BLOCKS = 8192;
const GROWTH = 4;
/** Interactions of the first submission, whose blocks are long: many particles start with the same step. */
const FIRST_INTERACTIONS = 2 ** 28;
/** Slice sums that a submission's share can tell: a word's worth. */
const MOST_SHARE = 2 ** 32 - 1;
/** Blocks of a submission that is timed part by part, and submissions from one such to the next. */
const STAGED_BLOCKS = 16;
const STAGED_EVERY = 32;
/** Blocks beyond the number that the last submission lets expect: those not needed do nothing. */
const SPARE_BLOCKS = 2;

/** Rounds recorded before an exchange, over those that the last submission had: some may do nothing. */
const EXPECTED = 2;

/** The stage of blocks that are timed as a whole. */
export const BLOCKS_STAGE = "blocks";

/** Pair interactions that the first submission may have. */
export function firstShare(software: boolean): number {
  return firstGuess(software, SUBMISSION_MS);
}

export interface PaceOptions {
  software: boolean;
  count: number;
  /** Particles with mass, of which forces are. */
  sources: number;
  /** All particles are in every block; with `shared` steps a block is a step. */
  together: boolean;
  shared: boolean;
  /** Where the forces of a block are summed in rounds: slice sums that a submission may at least have. */
  leastShare: number | undefined;
  /** Fewest members of a block whose forces ranks exchange, which ends the submission. */
  exchangedFrom?: number | undefined;
  /** So many blocks, or interactions at most, in each submission, whatever they take. */
  fixed: { blocks?: number | undefined; interactions?: number | undefined };
}

/** What to submit: rounds of blocks, which may sum so many slices of sources for a target. */
export interface Submission {
  rounds: number;
  share: number;
  staged: boolean;
}

/**
 * The time of earlier blocks says how many to record, the adapter's interactions a millisecond what a submission may sum:
 * its share, beyond which the GPU begins no block. A block that may be more than a share is summed in rounds.
 */
export class BlockPace {
  readonly #parts = new Map<string, number>();
  #rounds: number;
  #roundsPerStep: number | undefined;
  /** Blocks of few particles say little about how many interactions there might have been: busy ones do. */
  readonly #pace: SubmissionPace;
  #submissions = 0;
  /** Rounds that are worth recording before one ends in an exchange. */
  #untilExchange = Number.POSITIVE_INFINITY;
  /** A submission is kept near this long [ms]. */
  #longest = SUBMISSION_MS;
  #before: { progress: DirectProgress; totals: StageTime[]; submission: Submission } | undefined;

  constructor(
    private readonly timer: StageTimer,
    private readonly options: PaceOptions,
  ) {
    this.#rounds = Math.max(
      1,
      Math.min(STAGED_BLOCKS, Math.floor(FIRST_INTERACTIONS / (options.count * options.sources))),
    );
    this.#pace = new SubmissionPace(options.software);
  }

  /** How long the submissions to come should take at most [ms]; as long as may be when left out. */
  keepTo(longest: number = SUBMISSION_MS): void {
    this.#rounds = Math.max(1, Math.floor((this.#rounds * Math.min(longest, this.#longest)) / this.#longest));
    this.#longest = longest;
  }

  /** What to submit next, on the way to `wanted` largest steps. */
  next(progress: DirectProgress, wanted: number): Submission {
    const { shared, fixed } = this.options;
    const left = wanted - progress.steps;
    // Not the first: it compiles.
    const often = fixed.blocks === undefined && this.#submissions++ % STAGED_EVERY === 1;
    const staged = often && (this.timer.timestamps || this.timer.byWallClock);
    let rounds = fixed.blocks ?? this.#fitting(staged);
    if (shared && this.options.leastShare === undefined) rounds = Math.min(rounds, left);
    else if (this.#roundsPerStep) rounds = Math.min(rounds, Math.ceil(this.#roundsPerStep * left) + SPARE_BLOCKS);
    return { rounds: Math.min(rounds, this.#untilExchange), share: this.#share(), staged };
  }

  /** What to submit next of a sum of all forces. */
  nextOfSum(): Submission {
    return { rounds: this.#fitting(false), share: this.#share(), staged: false };
  }

  /** A submission begins from there. */
  began(progress: DirectProgress, submission: Submission): void {
    this.#before = { progress, totals: submission.staged ? this.timer.totals() : [], submission };
  }

  /** What the submission that began took [ms], and how far it got. */
  took(ms: number, progress: DirectProgress): void {
    const { progress: before, totals, submission } = this.#before!;
    const { share, staged } = submission;
    const rounds = Math.max(progress.blocks - before.blocks, progress.rounds);
    if (progress.sum === SUM.toExchange) this.#untilExchange = EXPECTED * Math.max(1, progress.rounds);
    else this.#untilExchange *= GROWTH;
    if (rounds > 0) {
      const fitting = Math.floor((this.#longest * rounds) / Math.max(ms, 0.1));
      this.#rounds = Math.max(1, Math.min(fitting, GROWTH * this.#rounds, MOST_BLOCKS));
      if (progress.steps > before.steps) this.#roundsPerStep = rounds / (progress.steps - before.steps);
      const { leastShare, sources } = this.options;
      const inBlocks = sources * (progress.particleSteps - before.particleSteps);
      const interactions = leastShare === undefined ? inBlocks : SLICE * (share - progress.share);
      this.#pace.learn(interactions, ms, interactions > (SLICE * share) / 2);
    }
    if (!staged) return;
    const earlier = new Map(totals.map(({ stage, ms: sum }) => [stage, sum]));
    for (const { stage, ms: sum } of this.timer.totals()) {
      const part = sum - (earlier.get(stage) ?? 0);
      if (part > 0 && stage !== BLOCKS_STAGE) this.#parts.set(stage, (this.#parts.get(stage) ?? 0) + part);
    }
  }

  #fitting(staged: boolean): number {
    const { together, count, sources, leastShare, exchangedFrom } = this.options;
    if (together && exchangedFrom !== undefined && count >= exchangedFrom) return 1;
    const rounds = staged ? Math.min(STAGED_BLOCKS, this.#rounds) : this.#rounds;
    if (!together || leastShare !== undefined) return rounds;
    return Math.max(1, Math.min(rounds, Math.floor(this.#share() / (count * Math.ceil(sources / SLICE)))));
  }

  /** Slice sums of the next submission. */
  #share(): number {
    const { fixed, leastShare = 1 } = this.options;
    if (fixed.blocks !== undefined && fixed.interactions === undefined) return MOST_SHARE;
    const interactions = fixed.interactions ?? this.#pace.budget(this.#longest);
    return Math.min(MOST_SHARE, Math.max(leastShare, Math.floor(interactions / SLICE)));
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
