/**
 * What the suite `sapporo2` measures (Bédorf, Gaburov & Portegies Zwart 2015) with the bodies of a Plummer sphere: kernels with
 * few targets, evaluations as a caller of the library sees them, and Hermite's sixth-order scheme with block steps.
 */
import { max, min } from "d3-array";
import { shapesUpTo } from "../../../../engine/direct/force-choice.ts";
import { availableShapes } from "../../../../engine/direct/force-shapes.ts";
import type { DirectSummationOptions } from "../../../../engine/direct-summation.ts";
import type { Bodies } from "../../../../engine/reference/direct/forces.ts";
import { releasing } from "../../../../foundation/base/releasing.ts";
import { exponentText, milliseconds, plainNumber } from "../../../../run/page/numbers.ts";
import type { Scenario } from "../../../../scenario/scenario.ts";
import { Experiment, isLeftOut, type LeftOut, type MeasurementContext, type StudySettings } from "../../../spec.ts";
import { bodiesOf } from "../../direct.ts";
import { ForceBench } from "../../force-timing.ts";
import { particlesOf } from "../../stages.ts";
import { inTurns, secondsOf } from "../../timing.ts";
import { type Evaluation, type EvaluationPlan, kernelJob, timed, timedSums, withSums } from "../forces.ts";
import {
  largestStep,
  pairSeconds,
  type RunPart,
  type SumEngine,
  sphereScenario,
  timedRun,
  trialTargets,
  unable,
} from "../hermite.ts";

/** Sources of figures 1 and 2. */
export const SOURCES = 131_072;
/** And their precision, as in the paper. */
export const PRECISION = "double-single" as const;
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
export const scenarioOf = (count: number, engine: SumEngine = "double-single"): Scenario =>
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

/** Times of variants by name, and those that a job takes, from few targets, whose sources are shared out, to many. */
export interface ShapeTimes {
  times: { targets: number; shapes: Record<string, Pick<Evaluation, "seconds" | "spread">> }[];
  inUse: string[];
}

/** Kernels for each number of targets, in all variants that the adapter runs (figure 1) or in those that a job takes (figure 2). */
async function shapeTimes(
  counts: readonly number[],
  { precision, every, ...plan }: Kernels & { every: boolean },
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
    const names = every ? availableShapes(gpu).map(({ name }) => name) : inUse;
    const jobs = counts.flatMap((targets) => names.map((shape) => kernelJob(bench, { precision, shape, targets })));
    const found = await timed(jobs, plan, context);
    const times = counts.map((targets, i) => {
      return { targets, shapes: Object.fromEntries(names.map((name, k) => [name, found[i * names.length + k]])) };
    });
    return { times, inUse };
  });
}

function optionsOf(kind: Kind, { gpu }: MeasurementContext): DirectSummationOptions {
  const [order, engine] = kind.split(" ") as ["jerk" | "snap", SumEngine];
  const options = { order, softening: softening() };
  return engine === "cpu" ? { ...options, backend: "cpu" } : { ...options, gpu, precision: engine };
}

export interface Square {
  /** Those that the adapter can do. */
  variants: Partial<Record<Kind, Evaluation>>;
}

export interface GridRow {
  /** By number of targets [s], transfers included. */
  times: { targets: number; gpu: number; cpu: number }[];
}

/** About how many steps a particle makes in a time unit: 256 particles, and how that grows with their number. */
const STEPS = 300;
const GROWTH = 0.25;

/** Interactions of a time unit, roughly. */
export const expectedPairs = (count: number): number => STEPS * (count / 256) ** GROWTH * count ** 2;

/** In which the block steps are made, by name. */
export const ENGINE_NAMES = { "double-single": "double-single", cpu: "float64, CPU" };
export type RunEngine = keyof typeof ENGINE_NAMES;
export const RUN_ENGINES = Object.keys(ENGINE_NAMES) as RunEngine[];

const powersOfTwo = (first: number, last: number, by = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, i) => 2 ** (first + i * by));

export const casesOf = ({ quick }: StudySettings) => ({
  /** Targets for which the kernel variants are compared (figure 1). */
  shapes: quick ? [64, 256, 512] : [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024],
  /** Active targets (figure 2), the last of them what the shares are of. */
  active: [1, 2, 4, 8, ...(quick ? [16, 32, 64, 128, 192, 256] : Array.from({ length: 16 }, (_, i) => 16 * (i + 1)))],
  /** Targets, and as many sources (figures 3 and 4). */
  squares: quick ? powersOfTwo(10, 14, 2) : powersOfTwo(10, 20),
  /** Targets and sources (figure 7). */
  grid: quick ? powersOfTwo(4, 12, 2) : powersOfTwo(3, 14),
  /** Particles of the block-step runs (figure 6); the paper has those from 16384 on. */
  runs: quick ? [256, 512, 1024] : powersOfTwo(8, 19),
});
export type Cases = ReturnType<typeof casesOf>;

const inMs = (seconds: number) => `${milliseconds(1000 * seconds)} ms`;

/** Seconds of the fastest variant. */
export const quickest = (shapes: Record<string, Pick<Evaluation, "seconds">>): number =>
  Math.min(...Object.values(shapes).map(({ seconds }) => seconds));

type Kernels = { sources: number; precision: typeof PRECISION } & EvaluationPlan;

export const SHAPES = new Experiment<
  { targets: number },
  Kernels,
  ShapeTimes["times"][number] & Pick<ShapeTimes, "inUse">
>({
  key: ({ targets }) => `shapes-${targets}`,
  label: ({ targets }) => `kernel variants, ${targets} targets of ${SOURCES} sources`,
  run: async ({ targets, ...plan }, context) => {
    const found = await shapeTimes([targets], { ...plan, every: true }, context);
    return isLeftOut(found) ? found : { ...found.times[0], inUse: found.inUse };
  },
  brief: ({ shapes }) => {
    const best = quickest(shapes);
    return `${inMs(best)}, ${Object.keys(shapes).find((name) => shapes[name].seconds === best)}`;
  },
});

export const FEW = new Experiment<object, { active: number[] } & Kernels, ShapeTimes>({
  key: () => `few-${PRECISION}`,
  label: ({ active }) => `1 to ${active.at(-1)} targets of ${SOURCES} sources, ${ENGINE_NAMES[PRECISION]}`,
  run: ({ active, ...plan }, context) => shapeTimes(active, { ...plan, every: false }, context),
  brief: ({ times }) => `${inMs(quickest(times[0].shapes))} to ${inMs(quickest(times.at(-1)!.shapes))}`,
});

/** So many bodies on themselves, every kind of force in turns. */
export const SQUARE = new Experiment<{ count: number }, EvaluationPlan, Square>({
  key: ({ count }) => `square-${count}`,
  label: ({ count }) => `${count} targets and sources, orders 4 and 6`,
  run: async ({ count, ...plan }, context) => {
    const without = (await unable(context.gpu, "double-single")) !== undefined;
    const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => !(without && kind.endsWith("double-single")));
    const options = kinds.map((kind) => optionsOf(kind, context));
    const found = await timedSums(options, await sphereOf(count, context.signal), plan, context);
    return { variants: Object.fromEntries(kinds.map((kind, i) => [kind, found[i]])) };
  },
  brief: ({ variants }) =>
    `${Object.values(variants)
      .map(({ seconds }) => milliseconds(1000 * seconds))
      .join(", ")} ms`,
});

/**
 * A block-step run; one that takes longer than `longest` [s] ends at the next largest step, and is left out where even the
 * first would take too long.
 */
export const RUN = new Experiment<{ count: number; engine: RunEngine }, { longest: number }, RunPart>({
  key: ({ count, engine }) => `run-${count}-${engine}`,
  label: ({ count, engine }) => `block steps of ${count}, Hermite 6, ${ENGINE_NAMES[engine]}`,
  run: ({ count, engine, longest }, context) => {
    const { signal } = context;
    const scenario = scenarioOf(count, engine);
    const estimate = async () => {
      const trial = { order: "snap" as const, softening: softening(), bodies: await sphereOf(count, signal) };
      return (await pairSeconds(engine, trial, trialTargets(count), context)) * expectedPairs(count);
    };
    const part = { before: 0, steps: 1 / largestStep(scenario), longest, ends: true, runs: 1 };
    return timedRun({ engine, scenario, estimate, particles: () => particlesOf(scenario, signal), ...part }, context);
  },
  brief: ({ seconds, span, energyError }) =>
    `${plainNumber(seconds)} s for ${plainNumber(span)} time units, ΔE/E ${exponentText(energyError)}`,
});

/** So many sources on each number of targets: the GPU in double-single against the CPU, in turns. */
export const GRID = new Experiment<{ sources: number }, { targets: number[]; repetitions: number }, GridRow>({
  key: ({ sources }) => `grid-${sources}`,
  label: ({ sources }) => `GPU against CPU, ${sources} sources`,
  run: async ({ sources, targets, repetitions }, context) => {
    const { gpu, signal, progress } = context;
    const reason = await unable(gpu, "double-single");
    if (reason) return reason;
    const options = (["jerk double-single", "jerk cpu"] as const).map((kind) => optionsOf(kind, context));
    return withSums(options, async (sums) => {
      const bodies = await sphereOf(sources, signal);
      const times: GridRow["times"] = [];
      for (const [place, count] of targets.entries()) {
        const { positions, velocities, ids } = await sphereOf(count, signal);
        const jobs = sums.map((sum) => async (turn: number) => {
          const seconds = await secondsOf(async () => {
            await sum.setSources(bodies);
            await sum.forces({ positions, velocities, ids }, { signal });
          });
          return turn > 0 ? seconds : undefined; // the first compiles and warms up
        });
        const [onGpu, onCpu] = await inTurns(jobs, { repetitions: repetitions + 1, signal });
        times.push({ targets: count, gpu: Math.min(...onGpu), cpu: Math.min(...onCpu) });
        progress((place + 1) / targets.length);
      }
      return { times };
    });
  },
  brief: ({ times }) => `GPU ${gainsText(times.map(({ cpu, gpu }) => cpu / gpu))} times as fast`,
});

/** From the least to the largest. */
export const gainsText = (gains: readonly number[]) =>
  `${plainNumber(min(gains) ?? 1)} to ${plainNumber(max(gains) ?? 1)}`;
