/**
 * Figure 5 of the suite `sapporo2` (Bédorf, Gaburov & Portegies Zwart 2015): N bodies on themselves on several GPUs, a rank
 * each, over one, from the bodies on the hosts to all forces on every host; and what more of them would give,
 *   T(P) = T_sent + T_sum/P + N (P − 1)/P · bytes/bandwidth + latency
 * with the times of one GPU as measured, and bandwidth and latency of a network as stated below.
 */
import { DirectSummation } from "../../../direct-summation.ts";
import { agreed, type Ranks } from "../../../ranks/ranks.ts";
import { targetsWithin } from "../../force-timing.ts";
import type { RankedContext, RankedMeasurement } from "../ranked.ts";
import { secondsOf, stopIfAborted } from "../timing.ts";
import { type EvaluationPlan, softening, sphereOf } from "./measure.ts";

export interface RankedPlan extends EvaluationPlan {
  counts: readonly number[];
}

export interface RankedRow {
  count: number;
  /** That were timed; the times are scaled to all. */
  targets: number;
  /** Of one rank alone [s]: handing over the bodies, the sum. */
  sent: number;
  sum: number;
  /** Of all ranks, both together [s]. */
  together: number;
}

export interface RankedSquares {
  rows: RankedRow[];
  /** Of an exchange of next to nothing [s], and of 2²⁰ bytes a rank [bytes/s that come in at each]. */
  latency: number;
  bandwidth: number;
}

/** Acceleration, potential and jerk in float64, as the library hands them over. */
export const FORCE_BYTES = 56;
/** Of the model: a network of 100 Gbit/s with some loss, and a collective call over it with the read-back before it. */
export const NETWORK = { bandwidth: 1e10, latency: 1e-4 };

const TRIAL = 256;
const EXCHANGES = 20;
const MANY_BYTES = 2 ** 20;

/** Seconds of N bodies on themselves on so many GPUs, by the model. */
export function modelled({ count, sent, sum }: RankedRow, ranks: number): number {
  if (ranks === 1) return sent + sum;
  const bytes = FORCE_BYTES * count * (1 - 1 / ranks);
  return sent + sum / ranks + bytes / NETWORK.bandwidth + NETWORK.latency;
}

/** On all ranks. */
export const SQUARES_OF_RANKS: RankedMeasurement<RankedPlan, RankedSquares> = {
  name: "squares",
  async run({ counts, repetitions, longest }, context) {
    const { gpu, ranks, signal, progress } = context;
    const options = { gpu, order: "jerk", precision: "double-single", softening: softening() } as const;
    const alone = ranks.rank === 0 ? await DirectSummation.create(options) : undefined;
    const together = await DirectSummation.create({ ...options, ranks });
    const rows: RankedRow[] = [];
    try {
      for (const [place, count] of counts.entries()) {
        if (await isStopped(context)) break;
        const bodies = await sphereOf(count, signal);
        const timed = async (sum: DirectSummation, targets: number) => {
          const sent = await secondsOf(() => sum.setSources(bodies));
          const some = { rows: Uint32Array.from({ length: targets }, (_, i) => i) };
          const seconds = await secondsOf(() => sum.forces(targets < count ? some : undefined));
          return { sent, sum: (seconds * count) / targets };
        };
        const trial = Math.min(TRIAL, count);
        let wanted = 0;
        if (alone) {
          await timed(alone, trial); // compiles
          wanted = targetsWithin({ count, whole: (await timed(alone, trial)).sum, longest, least: TRIAL });
        }
        const targets = await agreed(ranks, () => wanted);
        let one = { sent: Number.POSITIVE_INFINITY, sum: Number.POSITIVE_INFINITY };
        let all = Number.POSITIVE_INFINITY;
        for (let turn = 0; turn <= repetitions; turn++) {
          const found = alone && (await timed(alone, targets));
          await ranks.barrier();
          const ours = await timed(together, targets);
          if (turn === 0) continue; // warms up
          if (found && found.sent + found.sum < one.sent + one.sum) one = found;
          all = Math.min(all, ours.sent + ours.sum);
        }
        if (alone) rows.push({ count, targets, ...one, together: all });
        progress((place + 1) / counts.length);
      }
      const { latency, bandwidth } = await exchanges(ranks);
      return { rows, latency, bandwidth };
    } finally {
      await alone?.destroy();
      await together.destroy();
    }
  },
};

/** Whether rank 0 is to stop; there it throws "aborted". */
async function isStopped({ ranks, signal }: RankedContext): Promise<boolean> {
  const stops = await agreed(ranks, () => signal.aborted);
  stopIfAborted(signal);
  return stops;
}

/** What the ranks' exchanges take here. */
async function exchanges(ranks: Ranks): Promise<{ latency: number; bandwidth: number }> {
  const fastest = async (bytes: number) => {
    const lengths = Array.from({ length: ranks.size }, () => bytes);
    const whole = new Uint8Array(bytes * ranks.size);
    let seconds = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < EXCHANGES; turn++) {
      await ranks.barrier();
      seconds = Math.min(seconds, await secondsOf(() => ranks.allGather(whole, lengths)));
    }
    return seconds;
  };
  const latency = await fastest(FORCE_BYTES);
  return { latency, bandwidth: (MANY_BYTES * (ranks.size - 1)) / (await fastest(MANY_BYTES)) };
}
