/**
 * Times forces for the suites: kernels with bodies and forces on the GPU, and whole calls of the library. What would
 * take too long is timed for some of the targets and scaled to all.
 */
import { DirectSummation, type DirectSummationOptions, type SourceInput } from "../../../engine/direct-summation.ts";
import type { MeasurementContext } from "../../spec.ts";
import { type ForceBench, type ForceTiming, targetsWithin, timesWithin } from "../force-timing.ts";
import { inTurns, secondsOf, stopIfAborted, timingOf } from "../timing.ts";

export type Evaluation = Awaited<ReturnType<typeof timed>>[number];

export interface EvaluationPlan {
  repetitions: number;
  /** An evaluation that would take longer is timed for some of the targets [s]. */
  longest: number;
  /** A repetition is repeated evaluations of about this long together [s]; one by default. */
  about?: number;
}

/** An evaluation that can be timed in part. */
export interface Job {
  count: number;
  /** Targets of the trial by which its time is estimated, and the fewest that are timed. */
  least: number;
  /** Seconds of the first `targets` scaled to all, the mean of `times` evaluations. */
  seconds: (targets: number, times?: number) => Promise<number>;
}

/** A kernel, or those that a job takes, for the first targets. */
export function kernelJob(bench: ForceBench, timing: ForceTiming): Job {
  const { targets: count = bench.count } = timing;
  const seconds: Job["seconds"] = async (targets, times) =>
    (await bench.seconds({ ...timing, targets }, times)) * (count / targets);
  return { count, least: 1024, seconds };
}

/** Bodies on themselves by the library. */
export function sumJob(sum: DirectSummation, bodies: SourceInput, signal: AbortSignal): Job {
  const seconds: Job["seconds"] = async (targets) => {
    const part = await partOf(sum, bodies, targets, signal);
    return part.sent + part.sum;
  };
  return { count: bodies.positions.length / 3, least: 256, seconds };
}

/** What an evaluation for all targets will take, judged by a few of them [s]. */
export async function estimate({ count, least, seconds }: Job): Promise<number> {
  const targets = Math.min(least, count);
  await seconds(targets); // compiles
  return Math.min(await seconds(targets), await seconds(targets));
}

/** Times jobs in turns: `seconds` of each, scaled up where not all `targets` were timed, and the repetitions' `spread`. */
export async function timed(
  jobs: readonly Job[],
  { repetitions, about = 0, longest }: EvaluationPlan,
  { signal, progress }: Pick<MeasurementContext, "signal" | "progress">,
) {
  const running: { targets: number; run: () => Promise<number> }[] = [];
  for (const [i, job] of jobs.entries()) {
    stopIfAborted(signal);
    const whole = await estimate(job);
    const targets = targetsWithin({ ...job, whole, longest });
    const times = timesWithin(about, (whole * targets) / job.count);
    running.push({ targets, run: () => job.seconds(targets, times) });
    progress((0.5 * (i + 1)) / jobs.length);
  }
  const found = await inTurns(
    running.map(({ run }) => run),
    { repetitions, signal, progress: (fraction) => progress(0.5 + 0.5 * fraction) },
  );
  return running.map(({ targets }, i) => {
    const { best: seconds, spread } = timingOf(found[i]);
    return { seconds, targets, spread };
  });
}

/** What the library computes with: `work` on sums that are destroyed afterwards. */
export async function withSums<T>(
  options: readonly DirectSummationOptions[],
  work: (sums: readonly DirectSummation[]) => Promise<T>,
): Promise<T> {
  const sums: DirectSummation[] = [];
  try {
    for (const one of options) sums.push(await DirectSummation.create(one));
    return await work(sums);
  } finally {
    for (const sum of sums) await sum.destroy();
  }
}

/** So many targets of `count` bodies: seconds of handing over the bodies, and of the sum, scaled to all targets. */
export async function partOf(sum: DirectSummation, bodies: SourceInput, targets: number, signal: AbortSignal) {
  const count = bodies.positions.length / 3;
  stopIfAborted(signal);
  const sent = await secondsOf(() => sum.setSources(bodies));
  const some = targets < count ? { rows: Uint32Array.from({ length: targets }, (_, i) => i) } : undefined;
  return { sent, sum: ((await secondsOf(() => sum.forces(some, { signal }))) * count) / targets };
}

/** Bodies on themselves, by sums in turns. */
export const timedSums = (
  options: readonly DirectSummationOptions[],
  bodies: SourceInput,
  plan: EvaluationPlan,
  context: MeasurementContext,
): Promise<Evaluation[]> =>
  withSums(options, (sums) => {
    const jobs = sums.map((sum) => sumJob(sum, bodies, context.signal));
    return timed(jobs, plan, context);
  });
