/**
 * Figure 6 of the suite `sapporo2`: Hermite's sixth-order scheme with block steps over a time unit, or over as many of
 * its eighths, largest steps, as there is time for.
 */
import type { Backend } from "../../../backend.ts";
import { forceBytes, packBodies } from "../../../direct/bodies.ts";
import { DirectForces } from "../../../direct/forces.ts";
import { DirectPipeline } from "../../../direct/pipeline.ts";
import { GravmeshError } from "../../../errors.ts";
import { initialConditions } from "../../../initial/index.ts";
import { duration } from "../../../page/numbers.ts";
import { emptyForces, sumForces } from "../../../reference/direct/forces.ts";
import { ReferenceDirect } from "../../../reference/direct/pipeline.ts";
import { type LeftOut, tooLong } from "../left-out.ts";
import type { MeasurementContext } from "../suite.ts";
import { type Engine, scenarioOf, sphereOf, unable } from "./cases.ts";

export interface BlockRun {
  count: number;
  engine: Engine;
  /** A run that takes longer ends at the next largest step; one that takes twice as long for its first is left out [s]. */
  longest: number;
}

export interface BlockResult {
  /** Of a run from its start [s]: first forces, blocks, nothing left out. */
  seconds: number;
  /** How far it went, at most 1 [time unit]. */
  span: number;
  blocks: number;
  /** Steps of single particles, all together. */
  particleSteps: number;
  /** (E − E₀)/|E₀| over the span. */
  energyError: number;
}

const UNIT = 1;
const PATIENCE = 2;
/** What only compiles and warms up is so much shorter. */
const BRIEF = 1024;
const TRIAL_PAIRS = 2 ** 22;
/** About how many steps a particle makes in a time unit: 256 particles, and how that grows with their number. */
const STEPS = 300;
const GROWTH = 0.25;

/** Interactions of a time unit, roughly. */
export const expectedPairs = (count: number): number => STEPS * (count / 256) ** GROWTH * count ** 2;

/** Seconds of an interaction to order 6, by a trial with as many targets as a block may have. */
async function pairSeconds(count: number, engine: Engine, { gpu, signal }: MeasurementContext): Promise<number> {
  const bodies = await sphereOf(count, signal);
  const { softening } = scenarioOf(count).direct;
  const targets = Math.max(1, Math.min(count, Math.round(TRIAL_PAIRS / count)));
  const pairs = targets * count;
  if (engine === "cpu") {
    const out = emptyForces("snap", targets);
    return least(
      () => sumForces({ order: "snap", softening, targets: bodies, sources: bodies, out, last: targets }),
      pairs,
    );
  }
  const forces = await DirectForces.create(gpu, { order: "snap", precision: engine, softening });
  const sources = gpu.buffers.upload("bodies", new Uint8Array(packBodies("snap", bodies)), "particles");
  const result = gpu.buffers.storage("forces", targets * forceBytes("snap"), "particles");
  try {
    return await least(() => {
      const batch = gpu.batch("trial of forces").stage("force");
      forces.encode(batch, { targets: sources, targetCount: targets, sources, sourceCount: count, result });
      return batch.submit();
    }, pairs);
  } finally {
    forces.destroy();
    gpu.buffers.release(sources, result);
  }
}

async function least(work: () => unknown, parts: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const started = performance.now();
    await work();
    if (i > 0) best = Math.min(best, performance.now() - started);
  }
  return best / 1000 / parts;
}

async function energyOf(backend: Backend): Promise<number> {
  const { kinetic, potential } = await backend.sums();
  return kinetic + potential;
}

/** Makes a run, unless even its first largest step would take too long. */
export async function blockRun(run: BlockRun, context: MeasurementContext): Promise<BlockResult | LeftOut> {
  const { count, engine, longest } = run;
  const { gpu, signal, progress } = context;
  const scenario = scenarioOf(count, engine);
  const { direct, box, time } = scenario;
  const dt = time.step as number; // a direct sum has no other
  const reason = await unable(gpu, engine);
  if (reason) return reason;
  const unit = (await pairSeconds(count, engine, context)) * expectedPairs(count);
  if (unit * dt > longest) return tooLong(unit);

  const settings = { direct, boxSize: box.size, G: 1, externalPotentials: [], step: dt };
  const { particles } = await initialConditions(scenario, { G: 1, signal });
  const pipeline = (step: number) => DirectPipeline.create(gpu, { ...settings, step }, particles);
  if (engine !== "cpu") {
    const brief = dt / BRIEF;
    const warming = await pipeline(brief);
    await warming.advance(1, brief, { signal }).finally(() => warming.destroy()); // compiles
  }
  const backend: Backend = engine === "cpu" ? ReferenceDirect.create(settings, particles) : await pipeline(dt);
  const deadline = AbortSignal.timeout(1000 * PATIENCE * longest);
  try {
    const before = await energyOf(backend);
    const steps = UNIT / dt;
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    let done = 0;
    do {
      await backend.advance(1, dt, { signal: AbortSignal.any([signal, deadline]) });
      done++;
      progress(done / steps);
    } while (done < steps && elapsed() * (1 + 1 / done) <= longest);
    const seconds = elapsed();
    const { blocks, "particle steps": particleSteps } = backend.counters!();
    const energyError = ((await energyOf(backend)) - before) / Math.abs(before);
    return { seconds, span: done * dt, blocks, particleSteps, energyError };
  } catch (error) {
    const late = deadline.aborted && !signal.aborted && error instanceof GravmeshError && error.kind === "aborted";
    if (!late) throw error;
    return { leftOut: `not done after ${duration(PATIENCE * longest)}` };
  } finally {
    backend.destroy();
  }
}
