/**
 * Figures 1 and 2 of the suite `sapporo2`: how long the force kernels take for few targets of 131072 sources, by shape.
 * Bodies are on the GPU and results stay there, as in the paper's measurement.
 */
import { shapesUpTo } from "../../../direct/force-choice.ts";
import { availableShapes } from "../../../direct/force-shapes.ts";
import { ForceBench, type ForceTiming, timesWithin } from "../../force-timing.ts";
import { releasing } from "../../releasing.ts";
import { type GpuEngine, unable } from "../hermite.ts";
import type { LeftOut } from "../left-out.ts";
import type { MeasurementContext } from "../spec.ts";
import { fastest, inTurns, stopIfAborted } from "../timing.ts";
import { FULL, SOURCES, softening, sphereOf } from "./measure.ts";

/** An evaluation in one shape. */
export type ShapeTime = ReturnType<typeof fastest>;

/** Figure 1: all shapes that the adapter runs, for so many targets. */
export interface ShapeScan {
  targets: number;
  /** By name. */
  shapes: Record<string, ShapeTime>;
  chosen: Chosen;
}

/** The shapes that a job takes, by how many targets it has: for few it shares out the sources over workgroups. */
export interface Chosen {
  /** Over invocations, too. */
  fewest: string;
  few: string;
  middle: string;
  many: string;
}

/** Figure 2: the shapes that a job takes for the fewest, few, more or many targets, each for all numbers of targets. */
export interface FewTargets {
  chosen: Chosen;
  /** By name. */
  times: { targets: number; shapes: Record<string, ShapeTime> }[];
}

/** Different ones of the chosen shapes. */
export const namesOf = ({ fewest, few, middle, many }: Chosen): string[] => [...new Set([fewest, few, middle, many])];

export interface KernelPlan {
  repetitions: number;
  /** A repetition is evaluations of about this long together [s]. */
  about: number;
  /** A shape for which all repetitions would take longer gets fewer, or none beside a first one [s]. */
  longest: number;
}

/** Sources of what only compiles and warms up. */
const FEW_SOURCES = 128;

/** Times jobs in turns: each is evaluations of about the same time. */
async function timesOf(
  bench: ForceBench,
  jobs: readonly ForceTiming[],
  { repetitions, about, longest }: KernelPlan,
  { signal, progress }: MeasurementContext,
): Promise<ShapeTime[]> {
  const running: { first: number; times: number; repetitions: number }[] = [];
  for (const [i, job] of jobs.entries()) {
    stopIfAborted(signal);
    await bench.seconds({ ...job, sources: FEW_SOURCES }); // compiles
    const first = await bench.seconds(job);
    const times = timesWithin(about, first);
    running.push({ first, times, repetitions: Math.min(repetitions, Math.floor(longest / (first * times))) });
    progress((0.5 * (i + 1)) / jobs.length);
  }
  const turns = running.map(({ times, ...one }, i) => async (turn: number) => {
    return turn < one.repetitions ? bench.seconds(jobs[i], times) : undefined;
  });
  const control = { repetitions, signal, progress: (fraction: number) => progress(0.5 + 0.5 * fraction) };
  const found = await inTurns(turns, control);
  return running.map(({ first }, i) => fastest(found[i].length > 0 ? found[i] : [first]));
}

/** `work` gets what times kernels for up to `most` targets, and the shapes that a job takes. */
async function withKernels<T>(
  precision: GpuEngine,
  most: number,
  { gpu, signal }: MeasurementContext,
  work: (bench: ForceBench, chosen: Chosen) => Promise<T>,
): Promise<T | LeftOut> {
  const reason = await unable(gpu, precision);
  if (reason) return reason;
  const bodies = await sphereOf(SOURCES, signal);
  // The paper's integrator: acceleration and jerk.
  const forces = { order: "jerk", softening: softening(), bodies, mostTargets: most } as const;
  return releasing(new ForceBench(gpu, forces), async (bench) => {
    const { choice } = await bench.forces({ precision });
    const names = shapesUpTo(choice, Number.POSITIVE_INFINITY, SOURCES).map(({ shape }) => shape.name);
    const [few, middle = few, many = middle] = names;
    return await work(bench, { fewest: few, few, middle, many });
  });
}

/** Every shape for so many targets. */
export function shapeScan(
  targets: number,
  precision: GpuEngine,
  plan: KernelPlan,
  context: MeasurementContext,
): Promise<ShapeScan | LeftOut> {
  const names = availableShapes(context.gpu).map(({ name }) => name);
  return withKernels(precision, targets, context, async (bench, chosen) => {
    const jobs = names.map((shape) => ({ precision, shape, targets }));
    const times = await timesOf(bench, jobs, plan, context);
    return { targets, shapes: Object.fromEntries(names.map((name, i) => [name, times[i]])), chosen };
  });
}

/** The chosen shapes for each number of active targets. */
export function fewTargets(
  active: readonly number[],
  precision: GpuEngine,
  plan: KernelPlan,
  context: MeasurementContext,
): Promise<FewTargets | LeftOut> {
  return withKernels(precision, FULL, context, async (bench, chosen) => {
    const names = namesOf(chosen);
    const jobs = active.flatMap((targets) => names.map((shape) => ({ precision, shape, targets })));
    const found = await timesOf(bench, jobs, plan, context);
    const times = active.map((targets, i) => {
      const shapes = names.map((name, k) => [name, found[i * names.length + k]]);
      return { targets, shapes: Object.fromEntries(shapes) };
    });
    return { chosen, times };
  });
}
