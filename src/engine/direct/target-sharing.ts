/**
 * Several ranks that sum together: every rank has all bodies, predicts and corrects all of them, and of a block with many
 * members it sums the forces on a part: the full sums over all sources, in the order in which one rank would take them.
 * What crosses are forces, 32 to 64 bytes for each member. Blocks with few members every rank sums by itself, which takes
 * less time than telling the others. All ranks have the same bits at all times, and so the same schedule; how much they
 * submit, and where they stop, rank 0 says.
 *
 * Sapporo2 shares out the sources instead (Bédorf+ 2015, section 2.2.3), and its result depends on the number of GPUs.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { JOINT_STAGES, type Ranks, type Share } from "../../foundation/ranks/ranks.ts";
import { type RowArray, RowExchange } from "../../foundation/ranks/rows.ts";
import type { StageTime } from "../backend/backend.ts";
import type { Submission } from "./block-pace.ts";
import { RECORD_BYTES } from "./bodies.ts";
import type { DirectProgress } from "./control.ts";
import type { SharedTargets } from "./force-rounds.ts";
import type { DirectState } from "./state.ts";

/** Pair interactions of a block that are worth an exchange of some tenths of a millisecond. */
const WORTH = { software: 2 ** 20, hardware: 2 ** 24, cpu: 2 ** 17 };
export type SharingOn = keyof typeof WORTH;
export const worthSharing = (on: SharingOn): number => WORTH[on];

/** Ranks of a sum, and from how many pair interactions on they share a block; by what computes unless given. */
export interface SharingOptions {
  ranks: Ranks;
  worth?: number | undefined;
}

const ORDER_WORDS = 4;

export class TargetSharing implements SharedTargets {
  readonly rank: number;
  readonly size: number;
  /** Fewest members of a block that is shared. */
  readonly fewest: number;
  readonly #rows: RowExchange;

  private constructor(
    readonly ranks: Ranks,
    sources: number,
    worth: number,
  ) {
    this.rank = ranks.rank;
    this.size = ranks.size;
    this.fewest = Math.max(ranks.size, Math.ceil(worth / sources));
    this.#rows = new RowExchange(ranks);
  }

  /** For sums over `sources` bodies; undefined for one rank, which shares nothing. */
  static of(options: SharingOptions | undefined, sources: number, on: SharingOn): TargetSharing | undefined {
    if (!options || options.ranks.size === 1) return undefined;
    return new TargetSharing(options.ranks, sources, options.worth ?? WORTH[on]);
  }

  isShared(members: number): boolean {
    return members >= this.fewest;
  }

  shareOf(count: number): Share {
    return this.#rows.shareOf(count);
  }

  /** What exchanges have taken by the wall clock. */
  get time(): StageTime {
    return { stage: JOINT_STAGES.forces, ms: this.#rows.spent, count: this.#rows.times };
  }

  /** What rank 0 submits next, and the others with it; undefined on all where it stops. */
  async agreed(next: () => Submission | undefined): Promise<Submission | undefined> {
    const words = new Uint32Array(ORDER_WORDS);
    if (this.rank === 0) {
      const wanted = next();
      if (wanted) words.set([1, wanted.rounds, wanted.share, wanted.staged ? 1 : 0]);
    }
    await this.ranks.handOn(new Uint8Array(words.buffer));
    const [goesOn, rounds, share, staged] = words;
    return goesOn === 0 ? undefined : { rounds, share, staged: staged === 1 };
  }

  /** Whether rank 0 goes on. */
  async goesOn(wanted: () => boolean): Promise<boolean> {
    return (await this.agreed(() => (wanted() ? { rounds: 0, share: 0, staged: false } : undefined))) !== undefined;
  }

  /** Fills in the rows of the others. Throws "device" where `place`, words that all ranks have in common, differs. */
  async exchange(count: number, columns: readonly RowArray[], place: readonly number[]): Promise<void> {
    const notes = await this.#rows.exchange(count, columns, Uint32Array.from(place));
    const other = notes.findIndex((note) => note.join() !== notes[this.rank].join());
    if (other < 0) return;
    throw new GravmeshError(
      "device",
      `ranks ${this.rank} and ${other} have come to different states (${notes[this.rank].join(" ")}; ${notes[other].join(" ")}): adapters or drivers of the ranks compute differently; run it on ranks of one kind, or as one`,
    );
  }

  /** The forces on the members of the block in progress, of which the GPU has summed this rank's part. */
  async exchangeForces(gpu: GpuContext, { forces, integrator }: DirectState, progress: DirectProgress): Promise<void> {
    const { members, steps, reached, blocks, particleSteps } = progress;
    const bytes = RECORD_BYTES[integrator.order];
    const { first, count } = this.shareOf(members);
    const before = this.time.ms;
    const array = new Uint8Array(bytes * members);
    array.set(new Uint8Array(await gpu.read(forces, bytes * first, bytes * count)), bytes * first);
    await this.exchange(members, [{ array, width: bytes }], [members, steps, reached, blocks, particleSteps]);
    gpu.device.queue.writeBuffer(forces, 0, array);
    gpu.timer.add(new Map([[JOINT_STAGES.forces, this.time.ms - before]]));
  }
}
