/** What the suite `sapporo2` measures, case by case. */
import { max, min } from "d3-array";
import { exponential, milliseconds, plainNumber } from "../../../page/numbers.ts";
import type { Evaluation, EvaluationPlan, ForcePlan } from "../forces.ts";
import { type Engine, type GpuEngine, type RunPart, unable } from "../hermite.ts";
import { Experiment, isLeftOut, type SuiteSettings } from "../spec.ts";
import {
  type BlockRun,
  blockRun,
  type Chosen,
  type GridRow,
  gridRow,
  type ShapeTimes,
  SOURCES,
  type Square,
  shapeTimes,
  square,
} from "./measure.ts";
import { type RankedPlan, type RankedSquares, SQUARES_OF_RANKS } from "./ranked.ts";

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
/** Ranks that figure 5 is measured with. */
export const RANKS = [2, 3, 4, 8, 16] as const;

const inMs = (seconds: number) => `${milliseconds(1000 * seconds)} ms`;

/** Seconds of the fastest variant. */
export const quickest = (shapes: Record<string, Pick<Evaluation, "seconds">>): number =>
  Math.min(...Object.values(shapes).map(({ seconds }) => seconds));

type Kernels = { sources: number; precision: GpuEngine } & ForcePlan;

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

const gainsText = (gains: readonly number[]) => `${plainNumber(min(gains) ?? 1)} to ${plainNumber(max(gains) ?? 1)}`;

/** `grid`: repetitions of each combination; `run`: a block-step run may take this long [s]. */
const plans = ({ quick }: SuiteSettings) => ({
  kernels: quick ? { repetitions: 3, about: 0.03, longest: 0.5 } : { repetitions: 10, about: 0.1, longest: 10 },
  square: quick ? { repetitions: 3, longest: 0.4 } : { repetitions: 3, longest: 3 },
  ...(quick ? { grid: 2, run: 6 } : { grid: 5, run: 120 }),
});

export function measurements(settings: SuiteSettings) {
  const plan = plans(settings);
  const cases = casesOf(settings);
  const kernels = { sources: SOURCES, precision: "double-single" as const, ...plan.kernels }; // as in the paper
  return [
    ...cases.shapes.map((targets) => SHAPES.of({ targets, ...kernels })),
    ...cases.few.map((precision) => FEW.of({ active: cases.active, ...kernels, precision })),
    ...cases.squares.map((count) => SQUARE.of({ count, ...plan.square })),
    ...cases.runs.flatMap((count) => RUN_ENGINES.map((engine) => RUN.of({ count, engine, longest: plan.run }))),
    ...RANKS.map((ranks) => RANKED.of({ ranks, counts: cases.squares, ...plan.square })),
    ...cases.grid.map((sources) => GRID.of({ sources, targets: cases.grid, repetitions: plan.grid })),
  ];
}
