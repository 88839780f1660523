/**
 * Figure 5 of the suite `sapporo2` (Bédorf, Gaburov & Portegies Zwart 2015): N bodies on themselves on several GPUs, a rank
 * each, over one, from the bodies on the hosts to all forces on every host; and what more of them would give,
 *   T(P) = T_sent + T_sum/P + N (P − 1)/P · bytes/bandwidth + latency
 * with the times of one GPU as measured, and bandwidth and latency of a network as stated below.
 */
import type { DirectSummation } from "../../../../engine/direct-summation.ts";
import { agreed } from "../../../../foundation/ranks/ranks.ts";
import { Experiment, type RankedContext, type RankedMeasurement, type Results } from "../../../spec.ts";
import { quantity, type Views, view } from "../../../table.ts";
import { targetsWithin } from "../../force-timing.ts";
import { stopIfAborted } from "../../timing.ts";
import { type EvaluationPlan, estimate, partOf, sumJob, withSums } from "../forces.ts";
import { unable } from "../hermite.ts";
import { type Cases, gainsText, SQUARE, softening, sphereOf } from "./measure.ts";

type RankedPlan = EvaluationPlan & { counts: readonly number[] };

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
}

/** Acceleration, potential and jerk in float64, as the library hands them over. */
const FORCE_BYTES = 56;
/** The network of the model: one of 100 Gbit/s with some loss, and a collective call over it with the read-back before it. */
const NETWORK = { bandwidth: 1e10, latency: 1e-4 };

/** Seconds of N bodies on themselves on so many GPUs, by the model. */
function modelled({ count, sent, sum }: RankedRow, ranks: number): number {
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
      return { rows };
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
  const { signal } = new AbortController(); // no rank stops within a row: the others would wait
  const job = one && sumJob(one, bodies, signal);
  const wanted = job ? targetsWithin({ ...job, whole: await estimate(job), longest }) : 0;
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

/** Ranks that figure 5 is measured with. */
export const RANKS = [2, 3, 4, 8, 16] as const;

export const RANKED = new Experiment<{ ranks: number }, RankedPlan, RankedSquares>({
  key: ({ ranks }) => `ranks-${ranks}`,
  label: ({ ranks, counts }) => `${counts[0]} to ${counts.at(-1)} bodies on themselves on ${ranks} ranks`,
  skip: ({ ranks }, { ranks: found }) =>
    found?.ranks.size === ranks
      ? undefined
      : "needs as many ranks: mpirun --bind-to none -n RANKS gravmesh bench sapporo2",
  run: async ({ ranks: _, ...plan }, { ranks, ...context }) =>
    (await unable(context.gpu, "double-single")) ?? ranks!.together(SQUARES_OF_RANKS, plan, context),
  brief: ({ rows }) => `${gainsText(rows.map((row) => (row.sent + row.sum) / row.together))} times as fast as one`,
});

/** The times of a number of bodies on one GPU: from a measurement of several ranks, else from that of figure 3. */
function ofOne(results: Results, count: number): RankedRow | undefined {
  const rows = RANKS.flatMap((ranks) => results.of(RANKED, { ranks })?.rows ?? []);
  const sum = results.of(SQUARE, { count })?.variants["jerk double-single"]?.seconds;
  const whole = sum === undefined ? undefined : { count, targets: count, sent: 0, sum, together: sum };
  return rows.find((row) => row.count === count) ?? whole;
}

/** Times as fast as one GPU (figure 5), measured. */
export const rankedGain = (results: Results, ranks: number) => (count: number) => {
  const row = results.of(RANKED, { ranks })?.rows.find((one) => one.count === count);
  return row && (row.sent + row.sum) / row.together;
};

/** The same by the model. */
export const modelledGain = (results: Results, ranks: number) => (count: number) => {
  const row = ofOne(results, count);
  return row && modelled(row, 1) / modelled(row, ranks);
};

/** Figure 5: several GPUs, measured for the numbers of ranks that there were, and by the model. */
export function several(results: Results, { squares: over }: Cases): Views {
  const measured = RANKS.filter((ranks) => results.of(RANKED, { ranks }));
  return view({
    title: "Several GPUs, times as fast as one",
    ...{ where: "figure 5", over, corner: "N" },
    quantities: [
      ...measured.map((ranks) => quantity(`${ranks} ranks`, rankedGain(results, ranks))),
      ...[2, 4, 8, 16].map((ranks) => quantity(`${ranks} GPUs, model`, modelledGain(results, ranks))),
    ],
    note: `${measured.length > 0 ? "Ranks: measured, with what was timed of one in turns. " : ""}Model: times of one as measured, ${FORCE_BYTES} bytes a body over ${NETWORK.bandwidth / 1e9} GB/s and ${NETWORK.latency * 1e3} ms an exchange, which are assumed.`,
  });
}
