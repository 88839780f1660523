/**
 * Forces of bodies on each other, timed for the suites: kernels with bodies and forces on the GPU, and whole calls of the
 * library from arrays on the host to arrays on the host. What would take too long is timed for some of the targets and
 * scaled to all.
 */
import { DirectSummation, type DirectSummationOptions, type SourceInput } from "../../direct-summation.ts";
import { type ForceBench, type ForceTiming, targetsWithin, timesWithin } from "../force-timing.ts";
import { inTurns, secondsOf, stopIfAborted, timingOf } from "../timing.ts";
import type { MeasurementContext } from "./spec.ts";

export interface Evaluation {
  /** [s]; scaled up where not all targets were timed. */
  seconds: number;
  /** Targets that were timed. */
  targets: number;
  /** Repetitions' spread, (largest − least)/median. */
  spread: number;
}

/** The evaluation that times [s] for a number of targets give. */
function evaluationOf(times: readonly number[], targets: number): Evaluation {
  const { best: seconds, spread } = timingOf(times);
  return { seconds, targets, spread };
}

export interface EvaluationPlan {
  repetitions: number;
  /** An evaluation that would take longer is timed for some of the targets [s]. */
  longest: number;
}

export interface ForcePlan extends EvaluationPlan {
  /** A repetition is repeated evaluations of about this long together [s]. */
  about: number;
}

/** Targets of the trial by which the time of a kernel is estimated, and the fewest that are timed. */
const TRIAL = 1024;

/** What an evaluation for all of a job's targets will take, judged by a few of them [s]. */
export async function estimate(bench: ForceBench, job: ForceTiming): Promise<number> {
  const { targets: all = bench.count } = job;
  const targets = Math.min(TRIAL, all);
  const one = () => bench.seconds({ ...job, targets });
  await one(); // compiles
  return (Math.min(await one(), await one()) * all) / targets;
}

/** Times kernels in turns: each repetition is evaluations of about the same time. */
export async function timedKernels(
  bench: ForceBench,
  jobs: readonly ForceTiming[],
  { repetitions, about, longest }: ForcePlan,
  { signal, progress }: Pick<MeasurementContext, "signal" | "progress">,
): Promise<Evaluation[]> {
  const running: { targets: number; run: () => Promise<number> }[] = [];
  for (const [i, job] of jobs.entries()) {
    stopIfAborted(signal);
    const { targets: count = bench.count } = job;
    const whole = await estimate(bench, job);
    const targets = targetsWithin({ count, whole, longest, least: TRIAL });
    const times = timesWithin(about, (whole * targets) / count);
    const run = async () => (await bench.seconds({ ...job, targets }, times)) * (count / targets);
    running.push({ targets, run });
    progress((0.5 * (i + 1)) / jobs.length);
  }
  const control = { repetitions, signal, progress: (fraction: number) => progress(0.5 + 0.5 * fraction) };
  const found = await inTurns(
    running.map(({ run }) => run),
    control,
  );
  return running.map(({ targets }, i) => evaluationOf(found[i], targets));
}

/** Targets of the call by which the time of a library's sum is estimated, and the fewest that are timed. */
const FEW = 256;

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

/** How many targets of `count` bodies are timed; compiles. */
export async function targetsOf(sum: DirectSummation, bodies: SourceInput, longest: number, signal: AbortSignal) {
  const count = bodies.positions.length / 3;
  const trial = Math.min(FEW, count);
  await partOf(sum, bodies, trial, signal); // compiles
  const whole = (await partOf(sum, bodies, trial, signal)).sum;
  return targetsWithin({ count, whole, longest, least: FEW });
}

/** Bodies on themselves, by sums in turns. */
export function timedSums(
  options: readonly DirectSummationOptions[],
  bodies: SourceInput,
  { repetitions, longest }: EvaluationPlan,
  { signal, progress }: MeasurementContext,
): Promise<Evaluation[]> {
  return withSums(options, async (sums) => {
    const targets: number[] = [];
    for (const sum of sums) targets.push(await targetsOf(sum, bodies, longest, signal));
    const jobs = sums.map((sum, i) => async () => {
      const part = await partOf(sum, bodies, targets[i], signal);
      return part.sent + part.sum;
    });
    const found = await inTurns(jobs, { repetitions, signal, progress });
    return found.map((times, i) => evaluationOf(times, targets[i]));
  });
}
