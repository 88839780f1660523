/** What the suite `sapporo2` measures, case by case, and what is derived from the results. */
import { exponential, milliseconds } from "../../../page/numbers.ts";
import { type Engine, type GpuEngine, unable } from "../hermite.ts";
import { Experiment, largest, least, type Maybe, type Results, ratio, type SuiteSettings } from "../spec.ts";
import { figure } from "../text.ts";
import type { Chosen, FewTargets, KernelPlan, ShapeScan, ShapeTime } from "./kernels.ts";
import { fewTargets, namesOf, shapeScan } from "./kernels.ts";
import type { BlockResult, BlockRun, EvaluationPlan, GridRow, Kind, Square } from "./measure.ts";
import { blockRun, DOUBLE_SINGLE, FULL, gridRow, SOURCES, square, variantName } from "./measure.ts";
import { modelled, type RankedPlan, type RankedRow, type RankedSquares, SQUARES_OF_RANKS } from "./ranked.ts";

export const ENGINE_NAMES: Record<Engine, string> = {
  single: "single",
  "double-single": "double-single",
  cpu: "float64, CPU",
};

const powersOfTwo = (first: number, last: number, by = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, i) => 2 ** (first + i * by));

export interface Cases {
  /** Targets for which the kernel shapes are compared (figure 1). */
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
const quickest = (shapes: Record<string, ShapeTime>) => least(Object.values(shapes).map(({ seconds }) => seconds));

type Kernels = { sources: number; precision: GpuEngine } & KernelPlan;

export const SHAPES = new Experiment<{ targets: number }, Kernels, ShapeScan>({
  key: ({ targets }) => `shapes-${targets}`,
  label: ({ targets }) => `kernel shapes, ${targets} targets of ${SOURCES} sources`,
  run: ({ targets, precision, ...plan }, context) => shapeScan(targets, precision, plan, context),
  brief: ({ shapes }) => {
    const [name, { seconds }] = Object.entries(shapes).reduce((a, b) => (b[1].seconds < a[1].seconds ? b : a));
    return `${inMs(seconds)}, ${name}`;
  },
  among: ({ targets }) => ["kernel shapes", `${targets} targets`],
});

export const FEW = new Experiment<
  { precision: GpuEngine },
  { active: number[]; sources: number } & KernelPlan,
  FewTargets
>({
  key: ({ precision }) => `few-${precision}`,
  label: ({ active, precision }) => `1 to ${active.at(-1)} targets of ${SOURCES} sources, ${ENGINE_NAMES[precision]}`,
  run: ({ active, precision, ...plan }, context) => fewTargets(active, precision, plan, context),
  brief: ({ times }) => `${inMs(quickest(times[0].shapes))} to ${inMs(quickest(times.at(-1)!.shapes))}`,
  among: ({ precision }) => ["few targets", ENGINE_NAMES[precision]],
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

export const RUN = new Experiment<Omit<BlockRun, "longest">, Pick<BlockRun, "longest">, BlockResult>({
  key: ({ count, engine }) => `run-${count}-${engine}`,
  label: ({ count, engine }) => `block steps of ${count}, Hermite 6, ${ENGINE_NAMES[engine]}`,
  run: blockRun,
  brief: ({ seconds, span, energyError }) =>
    `${figure(seconds)} s for ${figure(span)} time units, ΔE/E ${exponential(energyError)}`,
  among: ({ count, engine }) => ["block steps", `${count} in ${ENGINE_NAMES[engine]}`],
});

export const GRID = new Experiment<{ sources: number }, { targets: number[]; repetitions: number }, GridRow>({
  key: ({ sources }) => `grid-${sources}`,
  label: ({ sources }) => `GPU against CPU, ${sources} sources`,
  run: ({ sources, targets, repetitions }, context) => gridRow(sources, targets, repetitions, context),
  brief: ({ times }) => {
    const gains = times.map(({ cpu, gpu }) => cpu / gpu);
    return `GPU ${figure(least(gains))} to ${figure(largest(gains))} times as fast`;
  },
  among: ({ sources }) => ["GPU against CPU", `${sources} sources`],
});

/** Processes for which figure 5 is measured where `mpirun` has started so many. */
export const RANKS = [2, 3, 4, 8, 16] as const;

export const RANKED = new Experiment<{ ranks: number }, RankedPlan, RankedSquares>({
  key: ({ ranks }) => `ranks-${ranks}`,
  label: ({ ranks, counts }) => `${counts[0]} to ${counts.at(-1)} bodies on themselves on ${ranks} ranks`,
  skip: ({ ranks }, { ranks: found }) =>
    found?.ranks.size === ranks
      ? undefined
      : "needs as many ranks: mpirun --bind-to none -n RANKS gravmesh bench sapporo2",
  run: async ({ counts, repetitions, longest }, { ranks, settings: _, ...context }) =>
    (await unable(context.gpu, "double-single")) ??
    ranks!.together(SQUARES_OF_RANKS, { counts, repetitions, longest }, context),
  brief: ({ rows }) => {
    const gains = rows.map((row) => (row.sent + row.sum) / row.together);
    return `${figure(least(gains))} to ${figure(largest(gains))} times as fast as one`;
  },
  among: ({ ranks }) => ["figure 5", `${ranks} ranks`],
});

/** `grid`: repetitions of each combination; `run`: a block-step run may take this long [s]. */
const plans = ({ quick }: SuiteSettings) =>
  quick
    ? {
        kernels: { repetitions: 3, about: 0.03, longest: 0.5 },
        square: { repetitions: 3, longest: 0.4 },
        grid: 2,
        run: 6,
      }
    : {
        kernels: { repetitions: 10, about: 0.1, longest: 10 },
        square: { repetitions: 3, longest: 3 },
        grid: 5,
        run: 120,
      };

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

/** Interactions per second at this share of the best count as full speed, and so does a shape within the same. */
const NEARLY = 0.9;

/** Names of shapes in any scan. */
export function shapeNames(results: Results, { shapes }: Cases): string[] {
  const scans = shapes.flatMap((targets) => results.of(SHAPES, { targets }) ?? []);
  return [...new Set(scans.flatMap((scan) => Object.keys(scan.shapes)))];
}

/** Targets of the scan from which the rate is within a tenth of the best. */
export function targetsAtFullSpeed(results: Results, { shapes }: Cases): Maybe {
  const rates = shapes.flatMap((targets) => {
    const scan = results.of(SHAPES, { targets });
    return scan ? [{ targets, rate: targets / quickest(scan.shapes) }] : [];
  });
  const best = largest(rates.map(({ rate }) => rate));
  return rates.find(({ rate }) => rate >= NEARLY * best)?.targets;
}

/** Shapes that share out the sources over workgroups or invocations. */
const sharing = ({ fewest, few }: Chosen) => [fewest, few];

/** Active targets from which on it doesn't pay to share out the sources; undefined where that is beyond the last. */
export function targetsWithoutSharing(results: Results, precision: GpuEngine): Maybe {
  const found = results.of(FEW, { precision });
  if (!found) return undefined;
  const { chosen, times } = found;
  const others = namesOf(chosen).filter((name) => !sharing(chosen).includes(name));
  const last = times.findLastIndex(({ shapes }) => {
    const best = (names: string[]) => least(names.map((name) => shapes[name].seconds));
    return others.length > 0 && best(sharing(chosen)) < NEARLY * best(others);
  });
  return times[last + 1]?.targets;
}

/** Of the fastest shape for FULL targets, a target's part [s]. */
export function share(results: Results, precision: GpuEngine): Maybe {
  const full = results.of(FEW, { precision })?.times.find(({ targets }) => targets === FULL);
  return full && quickest(full.shapes) / FULL;
}

/** Seconds of a shape for so many targets. */
export function fewSeconds(results: Results, precision: GpuEngine, targets: number, shape: string): Maybe {
  const found = results.of(FEW, { precision })?.times.find((one) => one.targets === targets);
  return found?.shapes[shape]?.seconds;
}

/** Time of a shape over what so many targets are of the time for all of FULL. */
export function timesShare(results: Results, precision: GpuEngine, targets: number, shape: string): Maybe {
  const one = share(results, precision);
  return ratio(fewSeconds(results, precision, targets, shape), one && one * targets);
}

export const evaluation = (results: Results, count: number, kind: Kind) =>
  results.of(SQUARE, { count })?.variants[variantName(kind)];

/** One kind of evaluation over another in time. */
export const costAt = (results: Results, count: number, kind: Kind, other: Kind): Maybe =>
  ratio(evaluation(results, count, kind)?.seconds, evaluation(results, count, other)?.seconds);

/** CPU over GPU in time. */
export function gain(results: Results, targets: number, sources: number): Maybe {
  const found = results.of(GRID, { sources })?.times.find((one) => one.targets === targets);
  return ratio(found?.cpu, found?.gpu);
}

/** Targets and as many sources at which GPU and CPU are equally fast, between measured ones, or the fewest of those. */
export function evenAt(results: Results, { grid }: Cases): Maybe {
  const found = grid.flatMap((count) => {
    const value = gain(results, count, count);
    return value === undefined ? [] : [{ x: Math.log(count), y: Math.log(value) }];
  });
  const after = found.findLastIndex(({ y }) => y < 0) + 1;
  if (after === found.length) return undefined;
  if (after === 0) return grid[0];
  const [from, to] = [found[after - 1], found[after]];
  return Math.exp(from.x + ((to.x - from.x) * -from.y) / (to.y - from.y));
}

/** |ΔE/E| of the largest run that covers a time unit. */
export function energyError(results: Results, { runs }: Cases, engine: Engine): Maybe {
  const last = runs.map((count) => results.of(RUN, { count, engine })).findLast((run) => run?.span === 1);
  return last && Math.abs(last.energyError);
}

/** Of so many bodies on one GPU: from a measurement of several ranks, else from that of figure 3. */
function ofOne(results: Results, count: number): RankedRow | undefined {
  const rows = RANKS.flatMap((ranks) => results.of(RANKED, { ranks })?.rows ?? []);
  const seconds = evaluation(results, count, DOUBLE_SINGLE)?.seconds;
  const whole = seconds === undefined ? undefined : { count, targets: count, sent: 0, sum: seconds, together: seconds };
  return rows.find((row) => row.count === count) ?? whole;
}

/** Times as fast as one GPU (figure 5), measured. */
export function rankedGain(results: Results, count: number, ranks: number): Maybe {
  const row = results.of(RANKED, { ranks })?.rows.find((one) => one.count === count);
  return row && (row.sent + row.sum) / row.together;
}

/** The same by the model. */
export function modelledGain(results: Results, count: number, ranks: number): Maybe {
  const row = ofOne(results, count);
  return row && modelled(row, 1) / modelled(row, ranks);
}
