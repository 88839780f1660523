/** The runs of the suite `portegies-zwart2007`: a quarter of a time unit of a Plummer sphere, on the GPU or the CPU. */
import type { Backend } from "../../../backend.ts";
import { pairArithmeticSurvives } from "../../../direct/arithmetic.ts";
import { bodyBytes, forceBytes, packBodies } from "../../../direct/bodies.ts";
import { DirectForces } from "../../../direct/forces.ts";
import { DirectPipeline } from "../../../direct/pipeline.ts";
import { GravmeshError } from "../../../errors.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { duration } from "../../../page/numbers.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { emptyForces, sumForces } from "../../../reference/direct/forces.ts";
import { ReferenceDirect } from "../../../reference/direct/pipeline.ts";
import { type LeftOut, tooLong } from "../left-out.ts";
import type { MeasurementContext } from "../suite.ts";
import { bodiesOf, drawnSphere, type Engine, largestStep, NU, scenarioOf, sphereOf } from "./cases.ts";
import { paperBlocks, paperMembers } from "./model.ts";

/** A quarter of a time unit. */
export interface Quarter {
  /** Wall time [s]; the fastest of a few where it is short. */
  seconds: number;
  blocks: number;
  /** Steps of single particles, all together. */
  particleSteps: number;
  /** (E − E₀)/|E₀| over this quarter. */
  energyError: number;
}

export interface Run {
  count: number;
  engine: Engine;
  nu: number;
  /** Quarters before the one that is measured: the paper's times are of the second, its energies of the first. */
  before: 0 | 1;
  /** A run that would take longer, what comes before included, is left out [s]. */
  longest: number;
}

const QUARTER = 0.25;
/** A short run is repeated from t = 0.25, so many times in all while that takes no longer than this [s]. */
const RUNS = 5;
const REPEATED = 2;
/** Blocks are half as many again and more than the paper's fit says (docs/integrators.md). */
const MORE_BLOCKS = 1.7;
/** A run is stopped when it takes so many times what it may, for the estimate was wrong then. */
const PATIENCE = 2;

/** Interactions of `quarters` of a time unit, by the paper's fits: blocks go with ν^−½. */
export function expectedPairs(count: number, nu: number, quarters: number): number {
  const blocks = MORE_BLOCKS * paperBlocks(count) * Math.sqrt(NU / nu) * QUARTER * quarters;
  return blocks * paperMembers(count) * count;
}

const REPETITIONS = 3;
/** Interactions of a trial: some 10 ms of work on two cores. */
const TRIAL_PAIRS = 2 ** 22;
/** Evaluations of a submission at most. */
const MOST_TIMES = 128;

/** Seconds of an interaction, in blocks of `members`: of the usual size by default. */
export async function pairSeconds(
  gpu: GpuContext,
  engine: Engine,
  drawn: ParticleSet,
  members = Math.max(1, Math.round(paperMembers(drawn.count))),
): Promise<number> {
  const { direct, box } = scenarioOf(drawn.count);
  const { count } = drawn;
  const { softening } = direct;
  const bodies = bodiesOf(drawn, box.size);
  if (engine === "cpu") {
    const few = Math.max(1, Math.min(count, Math.round(TRIAL_PAIRS / count)));
    const velocities = Float64Array.from(drawn.velocities);
    const inFloat64 = { ...bodies, velocities, accelerations: new Float64Array(0) };
    const out = emptyForces("jerk", few);
    return best(
      () => sumForces({ order: "jerk", softening, targets: inFloat64, sources: inFloat64, out, last: few }),
      few * count,
    );
  }
  const forces = await DirectForces.create(gpu, { order: "jerk", precision: engine, softening });
  const sources = gpu.buffers.upload("bodies", new Uint8Array(packBodies("jerk", bodies)), "particles");
  const result = gpu.buffers.storage("forces", members * forceBytes("jerk"), "particles");
  const times = Math.min(MOST_TIMES, Math.max(1, Math.round(TRIAL_PAIRS / (count * members))));
  try {
    return await best(
      async () => {
        const batch = gpu.batch("trial of forces").stage("force");
        const job = { targets: sources, targetCount: members, sources, sourceCount: count, result };
        for (let k = 0; k < times; k++) forces.encode(batch, job);
        await batch.submit();
      },
      times * members * count,
    );
  } finally {
    forces.destroy();
    gpu.buffers.release(sources, result);
  }
}

/** Least seconds of a run of `work` by the parts it has, after one that doesn't count. */
async function best(work: () => unknown, parts: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= REPETITIONS; i++) {
    const started = performance.now();
    await work();
    if (i > 0) least = Math.min(least, performance.now() - started);
  }
  return least / 1000 / parts;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function backendOf({ count, engine, nu }: Run, { gpu, signal }: MeasurementContext): Promise<Backend> {
  const scenario = scenarioOf(count, engine, nu);
  const { direct, box } = scenario;
  const settings = { direct, boxSize: box.size, G: 1, externalPotentials: [], step: largestStep(scenario) };
  const particles = await sphereOf(count, gpu, signal);
  return engine === "cpu"
    ? ReferenceDirect.create(settings, particles)
    : DirectPipeline.create(gpu, settings, particles);
}

/** Why an engine can't be used on the adapter. */
export async function unable(gpu: GpuContext, engine: Engine): Promise<LeftOut | undefined> {
  if (engine !== "double-single") return undefined;
  const { passed, detail } = await pairArithmeticSurvives(gpu);
  return passed ? undefined : { leftOut: `the adapter’s compiler doesn’t keep pair arithmetic (${detail})` };
}

/** Makes a run, unless it would take too long. */
export async function quarterOf(run: Run, context: MeasurementContext): Promise<Quarter | LeftOut> {
  const { count, engine, nu, before, longest } = run;
  const { gpu, signal, progress } = context;
  const reason = await unable(gpu, engine);
  if (reason) return reason;
  const pair = await pairSeconds(gpu, engine, await drawnSphere(count, signal));
  const estimate = pair * expectedPairs(count, nu, before + 1);
  if (estimate > longest) return tooLong(estimate);

  const backend = await backendOf(run, context);
  const deadline = AbortSignal.timeout(1000 * PATIENCE * longest);
  try {
    const dt = largestStep(scenarioOf(count));
    const steps = QUARTER / dt;
    const advance = (part: number) =>
      backend.advance(steps, dt, {
        signal: AbortSignal.any([signal, deadline]),
        onProgress: (done) => progress((part + done / steps) / (before + 1)),
      });
    if (before > 0) await advance(0);
    const [countedBefore, energyBefore] = [counted(backend), await energyOf(backend)];
    const state = await backend.saveState();
    const times = [await timed(() => advance(before))];
    if (before > 0) {
      const sum = () => times.reduce((total, one) => total + one, 0);
      while (times.length < RUNS && sum() + times[0] < REPEATED) {
        await backend.restoreState(state);
        times.push(await timed(() => advance(before)));
      }
    }
    const [countedAfter, energyAfter] = [counted(backend), await energyOf(backend)];
    return {
      seconds: Math.min(...times),
      blocks: countedAfter.blocks - countedBefore.blocks,
      particleSteps: countedAfter.particleSteps - countedBefore.particleSteps,
      energyError: (energyAfter - energyBefore) / Math.abs(energyBefore),
    };
  } catch (error) {
    const late = deadline.aborted && !signal.aborted && error instanceof GravmeshError && error.kind === "aborted";
    if (!late) throw error;
    return { leftOut: `not done after ${duration(PATIENCE * longest)}` };
  } finally {
    backend.destroy();
  }
}

function counted(backend: Backend): { blocks: number; particleSteps: number } {
  const { blocks, "particle steps": particleSteps } = backend.counters!();
  return { blocks, particleSteps };
}

async function energyOf(backend: Backend): Promise<number> {
  const { kinetic, potential } = await backend.sums();
  return kinetic + potential;
}

/** Sending body records to the GPU and receiving force records, of one particle [s]; a run does neither between blocks. */
export async function transferSeconds(gpu: GpuContext, drawn: ParticleSet): Promise<{ send: number; receive: number }> {
  const { count } = drawn;
  const { box } = scenarioOf(count);
  const packed = packBodies("jerk", bodiesOf(drawn, box.size));
  const bodies = gpu.buffers.storage("bodies sent", count * bodyBytes("jerk"), "other");
  const forces = gpu.buffers.storage("forces received", count * forceBytes("jerk"), "other");
  try {
    const send = await best(async () => {
      gpu.device.queue.writeBuffer(bodies, 0, packed);
      await gpu.wait(gpu.device.queue.onSubmittedWorkDone(), "sending bodies");
    }, count);
    return { send, receive: await best(() => gpu.read(forces), count) };
  } finally {
    gpu.buffers.release(bodies, forces);
  }
}
