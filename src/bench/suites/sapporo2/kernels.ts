/**
 * Figures 1 and 2 of the suite `sapporo2`: how long the force kernels take for few targets of 131072 sources, by shape.
 * Bodies are on the GPU and results stay there, as in the paper's measurement.
 */
import { forceBytes, packBodies } from "../../../direct/bodies.ts";
import { availableShapes } from "../../../direct/force-shapes.ts";
import { DirectForces } from "../../../direct/forces.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import type { LeftOut } from "../left-out.ts";
import type { MeasurementContext } from "../suite.ts";
import { stopIfAborted, timingOf } from "../timing.ts";
import { FULL, type GpuEngine, SOURCES, softening, sphereOf, unable } from "./cases.ts";

/** Forces on some targets, in one shape. */
export interface ShapeTime {
  /** Of an evaluation [s]. */
  seconds: number;
  /** Repetitions' spread, (largest − least)/median. */
  spread: number;
}

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

const MOST_TIMES = 64;
/** The paper's integrator: acceleration and jerk. */
const ORDER = "jerk";

/** Sources of what only compiles and warms up. */
const FEW_SOURCES = 128;

interface Job {
  shape: string;
  targets: number;
  /** All by default. */
  sources?: number;
}

/** [s] of an evaluation, the mean of `times` in one submission. */
type Time = (job: Job, times?: number) => Promise<number>;

/** `work` gets what times a shape for so many targets; what it took is released after it. */
async function withKernels<T>(
  precision: GpuEngine,
  { gpu, signal }: MeasurementContext,
  most: number,
  work: (time: Time, chosen: Chosen) => Promise<T>,
): Promise<T> {
  const bodies = await sphereOf(SOURCES, signal);
  const options = { order: ORDER, precision, softening: softening() } as const;
  const sources = gpu.buffers.upload("bodies", new Uint8Array(packBodies(ORDER, bodies)), "particles");
  const result = gpu.buffers.storage("forces", most * forceBytes(ORDER), "particles");
  const made = new Map<string, DirectForces>();
  try {
    const usual = await DirectForces.create(gpu, options);
    made.set("", usual);
    const time: Time = async ({ shape, targets: targetCount, sources: sourceCount = SOURCES }, times = 1) => {
      stopIfAborted(signal);
      let forces = made.get(shape);
      if (!forces) {
        forces = await DirectForces.create(gpu, { ...options, shape });
        made.set(shape, forces);
      }
      return timeOf(gpu, forces, { targets: sources, targetCount, sources, sourceCount, result }, times);
    };
    const { fewest, few, middle, many, fewestBelow } = usual.choice;
    const names = { few: few.name, middle: middle.name, many: many.name };
    return await work(time, { fewest: fewestBelow > 0 ? fewest.name : few.name, ...names });
  } finally {
    for (const forces of made.values()) forces.destroy();
    gpu.buffers.release(sources, result);
  }
}

async function timeOf(
  gpu: GpuContext,
  forces: DirectForces,
  job: Parameters<DirectForces["encode"]>[1],
  times: number,
): Promise<number> {
  const batch = gpu.batch("few targets").stage("force");
  for (let k = 0; k < times; k++) forces.encode(batch, job);
  const started = performance.now();
  await batch.submit();
  return (performance.now() - started) / 1000 / times;
}

/** Times jobs in turns, so that what a busy machine does to one it does to all. */
async function inTurns(
  time: Time,
  jobs: readonly Job[],
  { repetitions, about, longest }: KernelPlan,
  progress: (fraction: number) => void,
): Promise<ShapeTime[]> {
  const running: { job: Job; times: number; repetitions: number; found: number[] }[] = [];
  for (const [i, job] of jobs.entries()) {
    await time({ ...job, sources: FEW_SOURCES }); // compiles
    const first = await time(job);
    const times = Math.min(MOST_TIMES, Math.max(1, Math.round(about / first)));
    const affordable = Math.min(repetitions, Math.floor(longest / (first * times)));
    running.push({ job, times, repetitions: affordable, found: affordable > 0 ? [] : [first] });
    progress((0.5 * (i + 1)) / jobs.length);
  }
  for (let i = 0; i < repetitions; i++) {
    for (const one of running) {
      if (i < one.repetitions) one.found.push(await time(one.job, one.times));
    }
    progress(0.5 + (0.5 * (i + 1)) / repetitions);
  }
  return running.map(({ found }) => {
    const { best, spread } = timingOf(found);
    return { seconds: best, spread };
  });
}

/** Every shape for so many targets. */
export async function shapeScan(
  targets: number,
  precision: GpuEngine,
  plan: KernelPlan,
  context: MeasurementContext,
): Promise<ShapeScan | LeftOut> {
  const reason = await unable(context.gpu, precision);
  if (reason) return reason;
  const names = availableShapes(context.gpu).map(({ name }) => name);
  return withKernels(precision, context, targets, async (time, chosen) => {
    const jobs = names.map((shape) => ({ shape, targets }));
    const times = await inTurns(time, jobs, plan, context.progress);
    return { targets, shapes: Object.fromEntries(names.map((name, i) => [name, times[i]])), chosen };
  });
}

/** The chosen shapes for each number of active targets. */
export async function fewTargets(
  active: readonly number[],
  precision: GpuEngine,
  plan: KernelPlan,
  context: MeasurementContext,
): Promise<FewTargets | LeftOut> {
  const reason = await unable(context.gpu, precision);
  if (reason) return reason;
  return withKernels(precision, context, FULL, async (time, chosen) => {
    const names = namesOf(chosen);
    const jobs = active.flatMap((targets) => names.map((shape) => ({ shape, targets })));
    const found = await inTurns(time, jobs, plan, context.progress);
    const times = active.map((targets, i) => {
      const shapes = names.map((name, k) => [name, found[i * names.length + k]]);
      return { targets, shapes: Object.fromEntries(shapes) };
    });
    return { chosen, times };
  });
}
