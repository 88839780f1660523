/**
 * Figures 3, 4, 6 and 7 of the suite `sapporo2` (Bédorf, Gaburov & Portegies Zwart 2015): an evaluation as a caller of the
 * library sees it, from the bodies on the host to the forces on the host, on the GPU and in float64 in one thread of the
 * CPU; and Hermite's sixth-order scheme with block steps over a time unit, or over as many of its eighths, largest steps,
 * as there is time for. Bodies are those of a Plummer sphere.
 */
import type { ForceOrder } from "../../../direct/bodies.ts";
import { DirectSummation, type TargetInput } from "../../../direct-summation.ts";
import type { Bodies } from "../../../reference/direct/forces.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { targetsWithin } from "../../force-timing.ts";
import { releasing } from "../../releasing.ts";
import type { Engine, RunPart } from "../hermite.ts";
import {
  backendOf,
  bodiesOf,
  drawn,
  largestStep,
  pairSeconds,
  partSince,
  sphereScenario,
  stateOf,
  unable,
} from "../hermite.ts";
import { type LeftOut, patiently, tooLong } from "../left-out.ts";
import type { MeasurementContext } from "../spec.ts";
import { type Evaluation, evaluationOf, inTurns, secondsOf, stopIfAborted } from "../timing.ts";

/** Sources of figures 1 and 2. */
export const SOURCES = 131_072;
/** The largest number of active targets in figure 2, what the shares are of. */
export const FULL = 256;

/** What Hermite's schemes of order 4 and 6 ask for. */
export type Order = Extract<ForceOrder, "jerk" | "snap">;

/** What is compared over N (figures 3 and 4). */
export interface Kind {
  order: Order;
  engine: Engine;
}
export const SINGLE: Kind = { order: "jerk", engine: "single" };
export const DOUBLE_SINGLE: Kind = { order: "jerk", engine: "double-single" };
export const FLOAT64: Kind = { order: "jerk", engine: "cpu" };
export const DOUBLE_SINGLE_6: Kind = { order: "snap", engine: "double-single" };
export const FLOAT64_6: Kind = { order: "snap", engine: "cpu" };
export const KINDS: readonly Kind[] = [SINGLE, DOUBLE_SINGLE, FLOAT64, DOUBLE_SINGLE_6, FLOAT64_6];

/** With η₄ and η₆ of the paper's runs. */
export const scenarioOf = (count: number, engine: Engine = "double-single"): Scenario =>
  sphereScenario(count, engine, ["integrator=hermite-6", "nu=0.01", "eta=0.1"]);

/** ε of the deck [length], in all measurements: the paper doesn't give its own. */
export const softening = (): number => scenarioOf(1).direct.softening;

let sphere: Bodies | undefined;

/** The first `count` bodies of one sphere. */
export async function sphereOf(count: number, signal: AbortSignal): Promise<Bodies> {
  if (sphere === undefined || sphere.count < count) {
    const scenario = scenarioOf(Math.max(count, SOURCES));
    sphere = bodiesOf(await drawn(scenario, signal), scenario);
  }
  const { positions, velocities, accelerations, masses, ids } = sphere;
  const vectors = (all: Float64Array) => all.subarray(0, 3 * count);
  return {
    count,
    positions: vectors(positions),
    velocities: vectors(velocities),
    accelerations: vectors(accelerations),
    masses: masses.subarray(0, count),
    ids: ids.subarray(0, count),
  };
}

export interface Square {
  count: number;
  /** By "order engine": those that the adapter can do. */
  variants: Record<string, Evaluation>;
}
export const variantName = ({ order, engine }: Kind): string => `${order} ${engine}`;

export interface GridRow {
  sources: number;
  /** By number of targets [s], transfers included. */
  times: { targets: number; gpu: number; cpu: number }[];
}

export interface EvaluationPlan {
  repetitions: number;
  /** An evaluation that would take longer is timed for some of the targets [s]. */
  longest: number;
}

/** Targets of the trial that tells how long an evaluation will take, and the fewest that are timed. */
const TRIAL = 256;

function summation({ order, engine }: Kind, { gpu }: MeasurementContext): Promise<DirectSummation> {
  const options = { order, softening: softening() };
  return DirectSummation.create(
    engine === "cpu" ? { ...options, backend: "cpu" } : { ...options, gpu, precision: engine },
  );
}

const rows = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

/** So many bodies on themselves, every kind of force in turns. */
export async function square(
  count: number,
  { repetitions, longest }: EvaluationPlan,
  context: MeasurementContext,
): Promise<Square> {
  const { signal, progress } = context;
  const bodies = await sphereOf(count, signal);
  const sums: DirectSummation[] = [];
  /** Seconds of handing over the bodies, and of each of so many targets. */
  const part = async (sum: DirectSummation, targets: number) => {
    stopIfAborted(signal);
    const sent = await secondsOf(() => sum.setSources(bodies));
    const some = targets < count ? { rows: rows(targets) } : undefined;
    const forces = await secondsOf(() => sum.forces(some, { signal }));
    return { sent, each: forces / targets };
  };
  try {
    const running: { name: string; targets: number; run: () => Promise<number> }[] = [];
    for (const kind of KINDS) {
      if (await unable(context.gpu, kind.engine)) continue;
      const sum = await summation(kind, context);
      sums.push(sum);
      const trial = Math.min(TRIAL, count);
      await part(sum, trial); // compiles
      const whole = count * (await part(sum, trial)).each;
      const targets = targetsWithin({ count, whole, longest, least: TRIAL });
      const run = async () => {
        const { sent, each } = await part(sum, targets);
        return sent + each * count;
      };
      running.push({ name: variantName(kind), targets, run });
    }
    const jobs = running.map(({ run }) => run);
    const found = await inTurns(jobs, { repetitions, signal, progress });
    const variants = running.map(({ name, targets }, i) => [name, evaluationOf(found[i], targets)]);
    return { count, variants: Object.fromEntries(variants) };
  } finally {
    for (const sum of sums) await sum.destroy();
  }
}

/** So many sources on each number of targets: the GPU in double-single against the CPU, in turns. */
export async function gridRow(
  sources: number,
  targets: readonly number[],
  repetitions: number,
  context: MeasurementContext,
): Promise<GridRow | LeftOut> {
  const { signal, progress } = context;
  const reason = await unable(context.gpu, "double-single");
  if (reason) return reason;
  const sums: DirectSummation[] = [];
  try {
    for (const engine of ["double-single", "cpu"] as const)
      sums.push(await summation({ order: "jerk", engine }, context));
    const bodies = await sphereOf(sources, signal);
    const times: GridRow["times"] = [];
    for (const [place, count] of targets.entries()) {
      const { positions, velocities } = await sphereOf(count, signal);
      const input: TargetInput = { positions, velocities, ids: rows(count) };
      const jobs = sums.map((sum) => async (turn: number) => {
        const seconds = await secondsOf(async () => {
          await sum.setSources(bodies);
          await sum.forces(input, { signal });
        });
        return turn > 0 ? seconds : undefined; // the first compiles and warms up
      });
      const [gpu, cpu] = await inTurns(jobs, { repetitions: repetitions + 1, signal, progress: () => {} });
      times.push({ targets: count, gpu: Math.min(...gpu), cpu: Math.min(...cpu) });
      progress((place + 1) / targets.length);
    }
    return { sources, times };
  } finally {
    for (const sum of sums) await sum.destroy();
  }
}

export interface BlockRun {
  count: number;
  engine: Engine;
  /** A run that takes longer ends at the next largest step; one that takes twice as long for its first is left out [s]. */
  longest: number;
}

export interface BlockResult extends RunPart {
  /** Of a run from its start [s]: first forces, blocks, nothing left out. */
  seconds: number;
  /** How far it went, at most 1 [time unit]. */
  span: number;
}

/** What only compiles and warms up is so much shorter. */
const BRIEF = 1024;
const TRIAL_PAIRS = 2 ** 22;
/** About how many steps a particle makes in a time unit: 256 particles, and how that grows with their number. */
const STEPS = 300;
const GROWTH = 0.25;

/** Interactions of a time unit, roughly. */
export const expectedPairs = (count: number): number => STEPS * (count / 256) ** GROWTH * count ** 2;

/** Makes a run, unless even its first largest step would take too long. */
export async function blockRun(run: BlockRun, context: MeasurementContext): Promise<BlockResult | LeftOut> {
  const { count, engine, longest } = run;
  const { gpu, signal, progress } = context;
  const scenario = scenarioOf(count, engine);
  const dt = largestStep(scenario);
  const reason = await unable(gpu, engine);
  if (reason) return reason;
  const trial = { order: "snap" as const, softening: softening(), bodies: await sphereOf(count, signal) };
  const targets = Math.max(1, Math.min(count, Math.round(TRIAL_PAIRS / count)));
  const unit = (await pairSeconds(gpu, engine, trial, targets)) * expectedPairs(count);
  if (unit * dt > longest) return tooLong(unit);

  const particles = await drawn(scenario, signal);
  if (engine !== "cpu") {
    const warming = backendOf(gpu, engine, scenario, particles, dt / BRIEF);
    await releasing(warming, (made) => made.advance(1, dt / BRIEF, { signal })); // compiles
  }
  return releasing(backendOf(gpu, engine, scenario, particles), (backend) =>
    patiently(longest, signal, async (either) => {
      const before = await stateOf(backend);
      const steps = 1 / dt;
      const started = performance.now();
      const elapsed = () => (performance.now() - started) / 1000;
      let done = 0;
      do {
        await backend.advance(1, dt, { signal: either });
        done++;
        progress(done / steps);
      } while (done < steps && elapsed() * (1 + 1 / done) <= longest);
      const seconds = elapsed();
      return { seconds, span: done * dt, ...(await partSince(before, backend)) };
    }),
  );
}
