/**
 * Figure 5 of the suite `sapporo2` (Bédorf, Gaburov & Portegies Zwart 2015): N bodies on themselves on several GPUs, a rank
 * each, over one, from the bodies on the hosts to all forces on every host; and what more of them would give,
 *   T(P) = T_sent + T_sum/P + N (P − 1)/P · bytes/bandwidth + latency
 * with the times of one GPU as measured, and bandwidth and latency of a network as stated below.
 */
import type { DirectSummation } from "../../../direct-summation.ts";
import { agreed, type Ranks } from "../../../ranks/ranks.ts";
import { secondsOf, stopIfAborted } from "../../timing.ts";
import { type EvaluationPlan, partOf, targetsOf, withSums } from "../forces.ts";
import type { RankedContext, RankedMeasurement } from "../ranked.ts";
import { softening, sphereOf } from "./measure.ts";

export interface RankedPlan extends EvaluationPlan {
  counts: readonly number[];
}

export interface RankedRow {
  count: number;
  /** That were timed; the times are scaled to all. */
  targets: number;
  /** Times of one rank alone [s]: handing over the bodies, the sum. */
  sent: number;
  sum: number;
  /** Both together, by all ranks [s]. */
  together: number;
}

export interface RankedSquares {
  rows: RankedRow[];
  /** The time of an exchange of next to nothing [s], and the rate of one of 2²⁰ bytes a rank [bytes/s that come in at each]. */
  latency: number;
  bandwidth: number;
}

/** Acceleration, potential and jerk in float64, as the library hands them over. */
export const FORCE_BYTES = 56;
/** The network of the model: one of 100 Gbit/s with some loss, and a collective call over it with the read-back before it. */
export const NETWORK = { bandwidth: 1e10, latency: 1e-4 };

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
  run(plan, context) {
    const { gpu, ranks, signal, progress } = context;
    const options = { gpu, order: "jerk", precision: "double-single", softening: softening() } as const;
    const alone = ranks.rank === 0 ? [options] : [];
    return withSums([{ ...options, ranks }, ...alone], async ([all, one]) => {
      const rows: RankedRow[] = [];
      for (const [place, count] of plan.counts.entries()) {
        const stops = await agreed(ranks, () => signal.aborted);
        stopIfAborted(signal); // rank 0 throws, the others stop
        if (stops) break;
        const row = await rowOf(await sphereOf(count, signal), { all, one }, plan, context);
        if (row) rows.push(row);
        progress((place + 1) / plan.counts.length);
      }
      return { rows, ...(await exchanges(ranks)) };
    });
  },
};

/** All ranks and rank 0 by itself, in turns; nothing on the others, which have no sum of their own. */
async function rowOf(
  bodies: Awaited<ReturnType<typeof sphereOf>>,
  { all, one }: { all: DirectSummation; one: DirectSummation | undefined },
  { repetitions, longest }: RankedPlan,
  { ranks }: RankedContext,
): Promise<RankedRow | undefined> {
  const { signal } = new AbortController(); // within a row nobody stops: the others would wait
  const wanted = one ? await targetsOf(one, bodies, longest, signal) : 0;
  const targets = await agreed(ranks, () => wanted);
  let best = { sent: Number.POSITIVE_INFINITY, sum: Number.POSITIVE_INFINITY };
  let together = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn <= repetitions; turn++) {
    const alone = one && (await partOf(one, bodies, targets, signal));
    await ranks.barrier();
    const shared = await partOf(all, bodies, targets, signal);
    if (turn === 0) continue; // warms up
    if (alone && alone.sent + alone.sum < best.sent + best.sum) best = alone;
    together = Math.min(together, shared.sent + shared.sum);
  }
  return one && { count: bodies.count, targets, ...best, together };
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
