/**
 * What the suite `sapporo2` measures, case by case (Bédorf, Gaburov & Portegies Zwart 2015): how long the force kernels take
 * for few targets, bodies and results on the GPU; an evaluation as a caller of the library sees it, on the GPU and in
 * float64 in one thread of the CPU; and Hermite's sixth-order scheme with block steps over a time unit, or over as many of
 * its eighths, largest steps, as there is time for. Bodies are those of a Plummer sphere.
 */

import { max, min } from "d3-array";
import { releasing } from "../../../base/releasing.ts";
import { shapesUpTo } from "../../../direct/force-choice.ts";
import { availableShapes } from "../../../direct/force-shapes.ts";
import type { DirectSummationOptions, TargetInput } from "../../../direct-summation.ts";
import { exponential, milliseconds, plainNumber } from "../../../page/numbers.ts";
import type { Bodies } from "../../../reference/direct/forces.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { ForceBench } from "../../force-timing.ts";
import { particlesOf } from "../../stages.ts";
import { inTurns, secondsOf } from "../../timing.ts";
import { type Evaluation, type EvaluationPlan, kernelJob, timed, timedSums, withSums } from "../forces.ts";
import {
  bodiesOf,
  type Engine,
  type GpuEngine,
  largestStep,
  pairSeconds,
  type RunPart,
  sphereScenario,
  timedRun,
  trialTargets,
  unable,
} from "../hermite.ts";
import { Experiment, isLeftOut, type LeftOut, type MeasurementContext, type SuiteSettings } from "../spec.ts";

/** Sources of figures 1 and 2. */
export const SOURCES = 131_072;
/** The largest number of active targets in figure 2, what the shares are of. */
export const FULL = 256;

/** What is compared over N (figures 3 and 4): what Hermite's schemes of order 4 and 6 ask for, and the engine. */
export const KINDS = {
  "jerk single": "order 4, single",
  "jerk double-single": "order 4, double-single",
  "jerk cpu": "order 4, float64, CPU",
  "snap double-single": "order 6, double-single",
  "snap cpu": "order 6, float64, CPU",
};
export type Kind = keyof typeof KINDS;

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
    sphere = bodiesOf(await particlesOf(scenario, signal), scenario);
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

/** The variants that a job takes, by how many targets it has: for few it shares out the sources over workgroups. */
export interface Chosen {
  few: string;
  middle: string;
  many: string;
}

/** Different ones of the chosen variants. */
export const namesOf = ({ few, middle, many }: Chosen): string[] => [...new Set([few, middle, many])];

/** Times of variants by name, and which of them a job takes. */
export interface ShapeTimes {
  times: { targets: number; shapes: Record<string, Pick<Evaluation, "seconds" | "spread">> }[];
  chosen: Chosen;
}

/** Kernels for each number of targets, in all variants that the adapter runs (figure 1) or in those that a job takes (figure 2). */
export async function shapeTimes(
  { counts, precision, every }: { counts: readonly number[]; precision: GpuEngine; every: boolean },
  plan: EvaluationPlan,
  context: MeasurementContext,
): Promise<ShapeTimes | LeftOut> {
  const { gpu, signal } = context;
  const reason = await unable(gpu, precision);
  if (reason) return reason;
  const bodies = await sphereOf(SOURCES, signal);
  // The paper's integrator: acceleration and jerk.
  const forces = { order: "jerk", softening: softening(), bodies, mostTargets: Math.max(...counts) } as const;
  return releasing(new ForceBench(gpu, forces), async (bench) => {
    const { choice } = await bench.forces({ precision });
    const inUse = shapesUpTo(choice, Number.POSITIVE_INFINITY, SOURCES).map(({ shape }) => shape.name);
    const [few, middle = few, many = middle] = inUse;
    const chosen = { few, middle, many };
    const names = every ? availableShapes(gpu).map(({ name }) => name) : namesOf(chosen);
    const jobs = counts.flatMap((targets) => names.map((shape) => kernelJob(bench, { precision, shape, targets })));
    const found = await timed(jobs, plan, context);
    const times = counts.map((targets, i) => {
      return { targets, shapes: Object.fromEntries(names.map((name, k) => [name, found[i * names.length + k]])) };
    });
    return { times, chosen };
  });
}

function optionsOf(kind: Kind, { gpu }: MeasurementContext): DirectSummationOptions {
  const [order, engine] = kind.split(" ") as ["jerk" | "snap", Engine];
  const options = { order, softening: softening() };
  return engine === "cpu" ? { ...options, backend: "cpu" } : { ...options, gpu, precision: engine };
}

export interface Square {
  count: number;
  /** Those that the adapter can do. */
  variants: Partial<Record<Kind, Evaluation>>;
}

/** So many bodies on themselves, every kind of force in turns. */
export async function square(count: number, plan: EvaluationPlan, context: MeasurementContext): Promise<Square> {
  const without = (await unable(context.gpu, "double-single")) !== undefined;
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => !(without && kind.endsWith("double-single")));
  const options = kinds.map((kind) => optionsOf(kind, context));
  const found = await timedSums(options, await sphereOf(count, context.signal), plan, context);
  return { count, variants: Object.fromEntries(kinds.map((kind, i) => [kind, found[i]])) };
}

export interface GridRow {
  sources: number;
  /** By number of targets [s], transfers included. */
  times: { targets: number; gpu: number; cpu: number }[];
}

/** So many sources on each number of targets: the GPU in double-single against the CPU, in turns. */
export async function gridRow(
  sources: number,
  targets: readonly number[],
  repetitions: number,
  context: MeasurementContext,
): Promise<GridRow | LeftOut> {
  const { gpu, signal, progress } = context;
  const reason = await unable(gpu, "double-single");
  if (reason) return reason;
  const options = (["jerk double-single", "jerk cpu"] as const).map((kind) => optionsOf(kind, context));
  return withSums(options, async (sums) => {
    const bodies = await sphereOf(sources, signal);
    const times: GridRow["times"] = [];
    for (const [place, count] of targets.entries()) {
      const { positions, velocities, ids } = await sphereOf(count, signal);
      const input: TargetInput = { positions, velocities, ids };
      const jobs = sums.map((sum) => async (turn: number) => {
        const seconds = await secondsOf(async () => {
          await sum.setSources(bodies);
          await sum.forces(input, { signal });
        });
        return turn > 0 ? seconds : undefined; // the first compiles and warms up
      });
      const [onGpu, onCpu] = await inTurns(jobs, { repetitions: repetitions + 1, signal });
      times.push({ targets: count, gpu: Math.min(...onGpu), cpu: Math.min(...onCpu) });
      progress((place + 1) / targets.length);
    }
    return { sources, times };
  });
}

export interface BlockRun {
  count: number;
  engine: Engine;
  /** A run that takes longer ends at the next largest step; one that takes twice as long for its first is left out [s]. */
  longest: number;
}

/** About how many steps a particle makes in a time unit: 256 particles, and how that grows with their number. */
const STEPS = 300;
const GROWTH = 0.25;

/** Interactions of a time unit, roughly. */
export const expectedPairs = (count: number): number => STEPS * (count / 256) ** GROWTH * count ** 2;

/** Makes a run, unless even its first largest step would take too long. */
export function blockRun(
  { count, engine, longest }: BlockRun,
  context: MeasurementContext,
): Promise<RunPart | LeftOut> {
  const { signal } = context;
  const scenario = scenarioOf(count, engine);
  const estimate = async () => {
    const trial = { order: "snap" as const, softening: softening(), bodies: await sphereOf(count, signal) };
    return (await pairSeconds(engine, trial, trialTargets(count), context)) * expectedPairs(count);
  };
  const part = { before: 0, steps: 1 / largestStep(scenario), longest, ends: true, runs: 1 };
  return timedRun({ engine, scenario, estimate, particles: () => particlesOf(scenario, signal), ...part }, context);
}

export const ENGINE_NAMES: Record<Engine, string> = {
  single: "single",
  "double-single": "double-single",
  cpu: "float64, CPU",
};

const powersOfTwo = (first: number, last: number, by = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, i) => 2 ** (first + i * by));

export interface Cases {
  /** Targets for which the kernel variants are compared (figure 1). */
  shapes: number[];
  /** Active targets (figure 2), the last of them what the shares are of; and in which precision. */
  active: number[];
  few: GpuEngine[];
  /** Targets, and as many sources (figures 3 and 4). */
  squares: number[];
  /** Targets and sources (figure 7). */
  grid: number[];
  /** Particles of the block-step runs (figure 6); the paper has those from 16384 on. */
  runs: number[];
}

export const casesOf = ({ quick }: SuiteSettings): Cases =>
  quick
    ? {
        shapes: [64, 256, 512],
        active: [1, 2, 4, 8, 16, 32, 64, 128, 192, 256],
        few: ["double-single"],
        squares: powersOfTwo(10, 14, 2),
        grid: powersOfTwo(4, 12, 2),
        runs: [256, 512, 1024],
      }
    : {
        shapes: [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024],
        active: [1, 2, 4, 8, ...Array.from({ length: 16 }, (_, i) => 16 * (i + 1))],
        few: ["double-single", "single"],
        squares: powersOfTwo(10, 20),
        grid: powersOfTwo(3, 14),
        runs: powersOfTwo(8, 19),
      };

/** In which the block steps are made. */
export const RUN_ENGINES = ["double-single", "cpu"] as const satisfies readonly Engine[];

const inMs = (seconds: number) => `${milliseconds(1000 * seconds)} ms`;

/** Seconds of the fastest variant. */
export const quickest = (shapes: Record<string, Pick<Evaluation, "seconds">>): number =>
  Math.min(...Object.values(shapes).map(({ seconds }) => seconds));

type Kernels = { sources: number; precision: GpuEngine } & EvaluationPlan;

export const SHAPES = new Experiment<{ targets: number }, Kernels, ShapeTimes["times"][number] & { chosen: Chosen }>({
  key: ({ targets }) => `shapes-${targets}`,
  label: ({ targets }) => `kernel variants, ${targets} targets of ${SOURCES} sources`,
  run: async ({ targets, precision, ...plan }, context) => {
    const found = await shapeTimes({ counts: [targets], precision, every: true }, plan, context);
    return isLeftOut(found) ? found : { ...found.times[0], chosen: found.chosen };
  },
  brief: ({ shapes }) => {
    const best = quickest(shapes);
    return `${inMs(best)}, ${Object.keys(shapes).find((name) => shapes[name].seconds === best)}`;
  },
});

export const FEW = new Experiment<{ precision: GpuEngine }, { active: number[] } & Kernels, ShapeTimes>({
  key: ({ precision }) => `few-${precision}`,
  label: ({ active, precision }) => `1 to ${active.at(-1)} targets of ${SOURCES} sources, ${ENGINE_NAMES[precision]}`,
  run: ({ active: counts, precision, ...plan }, context) =>
    shapeTimes({ counts, precision, every: false }, plan, context),
  brief: ({ times }) => `${inMs(quickest(times[0].shapes))} to ${inMs(quickest(times.at(-1)!.shapes))}`,
});

export const SQUARE = new Experiment<{ count: number }, EvaluationPlan, Square>({
  key: ({ count }) => `square-${count}`,
  label: ({ count }) => `${count} targets and sources, orders 4 and 6`,
  run: ({ count, ...plan }, context) => square(count, plan, context),
  brief: ({ variants }) =>
    `${Object.values(variants)
      .map(({ seconds }) => milliseconds(1000 * seconds))
      .join(", ")} ms`,
});

export const RUN = new Experiment<Omit<BlockRun, "longest">, Pick<BlockRun, "longest">, RunPart>({
  key: ({ count, engine }) => `run-${count}-${engine}`,
  label: ({ count, engine }) => `block steps of ${count}, Hermite 6, ${ENGINE_NAMES[engine]}`,
  run: blockRun,
  brief: ({ seconds, span, energyError }) =>
    `${plainNumber(seconds)} s for ${plainNumber(span)} time units, ΔE/E ${exponential(energyError)}`,
});

export const GRID = new Experiment<{ sources: number }, { targets: number[]; repetitions: number }, GridRow>({
  key: ({ sources }) => `grid-${sources}`,
  label: ({ sources }) => `GPU against CPU, ${sources} sources`,
  run: ({ sources, targets, repetitions }, context) => gridRow(sources, targets, repetitions, context),
  brief: ({ times }) => `GPU ${gainsText(times.map(({ cpu, gpu }) => cpu / gpu))} times as fast`,
});

/** From the least to the largest. */
export const gainsText = (gains: readonly number[]) =>
  `${plainNumber(min(gains) ?? 1)} to ${plainNumber(max(gains) ?? 1)}`;
