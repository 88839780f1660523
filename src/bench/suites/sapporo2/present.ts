/** Plots and remarks of the suite `sapporo2`: its figures 1 to 4, 6 and 7 redrawn. */

import { leftOutRemark } from "../left-out.ts";
import type { LinesPlot, SuiteAxis, SuiteSeries } from "../page-model.ts";
import type { Presentation, Results, SuiteSettings } from "../suite.ts";
import {
  activeTargets,
  ENGINE_NAMES,
  ENGINES,
  FULL,
  fewEngines,
  type GpuEngine,
  gridCounts,
  KINDS,
  ORDER_NAMES,
  runCounts,
  SOURCES,
  shapeTargets,
  squareCounts,
} from "./cases.ts";
import { namesOf } from "./kernels.ts";
import { PAPER_ERRORS } from "./published.ts";
import { fewKey, gridKey, runKey, Sapporo, shapesKey } from "./results.ts";
import { tables } from "./tables.ts";

const MILLI = 1000;
const TARGETS: SuiteAxis = { label: "targets", scale: "log" };
const TIME: SuiteAxis = { label: "time [ms]", scale: "log" };

const over = (counts: readonly number[], value: (count: number) => number | undefined): [number, number][] =>
  counts.flatMap((count) => {
    const y = value(count);
    return y === undefined || y === 0 ? [] : [[count, y] as [number, number]];
  });

/** A shape that shares out sources has the colour of one that reads them in the same way and doesn't. */
const LIKE: Record<string, string> = {
  split: "plain",
  "split-tiles": "tiles",
  "split-subgroups": "subgroups",
  "split-slices": "targets-4",
};

function shapePlot(found: Sapporo): LinesPlot {
  const whole = found.shapeNames.filter((name) => !(name in LIKE));
  const series = found.shapeNames.map((name): SuiteSeries => {
    const points = over(shapeTargets(found.settings), (targets) => {
      const one = found.shapes(targets)?.shapes[name];
      return one && MILLI * one.seconds;
    });
    return { label: name, points, colour: whole.indexOf(LIKE[name] ?? name), dashed: name in LIKE };
  });
  return {
    kind: "lines",
    title: `Kernel shapes, ${SOURCES} sources`,
    where: "figure 1",
    x: { ...TARGETS, ticks: ticksOf(shapeTargets(found.settings)) },
    y: TIME,
    series,
    note: "Dashed: shapes that share out the sources over workgroups.",
  };
}

const ACTIVE: SuiteAxis = {
  ...{ label: "active targets", scale: "log" },
  ticks: [1, 4, 16, 64, 256].map((at) => ({ at, text: String(at) })),
};

function fewPlots(found: Sapporo, engine: GpuEngine): LinesPlot[] {
  const few = found.few(engine);
  if (!few) return [];
  const counts = activeTargets(found.settings);
  const uses = {
    few: "sources shared out",
    fewest: "over invocations, too",
    middle: "for more targets",
    many: "for many targets",
  };
  const labelOf = (name: string) => {
    const use = (["few", "fewest", "many", "middle"] as const).find((one) => few.chosen[one] === name)!;
    return `${name}: ${uses[use]}`;
  };
  const names = namesOf(few.chosen);
  const share = found.share(engine);
  return [
    {
      kind: "lines",
      title: `Few targets of ${SOURCES} sources, ${ENGINE_NAMES[engine]}`,
      where: "figure 2",
      x: ACTIVE,
      y: TIME,
      series: [
        ...names.map((name) => ({
          label: labelOf(name),
          points: few.times.map(({ targets, shapes }) => [targets, MILLI * shapes[name].seconds] as const),
        })),
        {
          label: `share of ${FULL} targets`,
          points: over(counts, (targets) => share && MILLI * share * targets),
          ...{ paper: true, curve: true, dashed: true },
        },
      ],
    },
    {
      kind: "lines",
      title: `Time over the proportional share, ${ENGINE_NAMES[engine]}`,
      where: "figure 2",
      x: ACTIVE,
      y: { label: "time / share", scale: "log" },
      series: names.map((name) => ({
        label: labelOf(name),
        points: over(counts, (targets) => found.timesShare(engine, targets, name)),
      })),
      rules: [{ at: 1 }],
    },
  ];
}

/** N² through the last point. */
function quadratic(points: SuiteSeries["points"]): SuiteSeries {
  const ends = points.length > 1 ? [points[0], points[points.length - 1]] : [];
  const curve = ends.map(([n]): [number, number] => [n, ends[1][1] * (n / ends[1][0]) ** 2]);
  return { label: "N²", points: curve, paper: true, curve: true, dashed: true };
}

function squarePlot(found: Sapporo, title: string, where: string, kinds: typeof KINDS): LinesPlot {
  const counts = squareCounts(found.settings);
  const series = kinds.map(({ order, engine }): SuiteSeries => {
    const points = over(counts, (count) => {
      const one = found.evaluation(count, order, engine);
      return one && MILLI * one.seconds;
    });
    const label = `${ORDER_NAMES[order]}, ${ENGINE_NAMES[engine]}`;
    return { label, points, colour: ENGINES.indexOf(engine) + (order === "snap" ? ENGINES.length : 0) };
  });
  const last = series.find((_, i) => kinds[i].engine === "double-single");
  return {
    kind: "lines",
    ...{ title, where },
    x: { label: "targets = sources", scale: "log", ticks: ticksOf(counts) },
    y: TIME,
    series: [...series, quadratic(last?.points ?? [])],
    note: "From bodies on the host to forces on the host.",
  };
}

function runPlots(found: Sapporo): LinesPlot[] {
  const plot = (
    title: string,
    y: SuiteAxis,
    value: (run: NonNullable<ReturnType<Sapporo["run"]>>) => number | undefined,
    rules: LinesPlot["rules"] = [],
  ): LinesPlot => ({
    kind: "lines",
    title,
    where: "figure 6",
    x: { label: "particles", scale: "log", ticks: ticksOf(runCounts(found.settings)) },
    y,
    series: (["double-single", "cpu"] as const).map((engine) => ({
      label: ENGINE_NAMES[engine],
      points: over(runCounts(found.settings), (count) => {
        const run = found.run(count, engine);
        return run && value(run);
      }),
      colour: ENGINES.indexOf(engine),
    })),
    rules,
  });
  const whole = ({ span }: { span: number }) => span === 1;
  return [
    plot("Time of a time unit", { label: "time [s]", scale: "log" }, ({ seconds, span }) => seconds / span),
    plot("Mean active", { label: "particles", scale: "log" }, ({ particleSteps, blocks }) => particleSteps / blocks),
    plot(
      "Energy error after a time unit",
      { label: "|ΔE/E|", scale: "log" },
      (run) => (whole(run) ? Math.abs(run.energyError) : undefined),
      [
        { at: PAPER_ERRORS.doubleSingle, label: "paper, double-single" },
        { at: PAPER_ERRORS.double, label: "paper, double" },
      ],
    ),
  ];
}

const MOST_TICKS = 6;
function ticksOf(counts: readonly number[]): { at: number; text: string }[] {
  const every = Math.ceil(counts.length / MOST_TICKS);
  return counts.filter((_, i) => i % every === 0).map((at) => ({ at, text: String(at) }));
}

const MOST_CURVES = 6;
function gridPlot(found: Sapporo): LinesPlot {
  const counts = gridCounts(found.settings);
  const every = Math.ceil(counts.length / MOST_CURVES);
  const shown = counts.filter((_, i) => (counts.length - 1 - i) % every === 0);
  return {
    kind: "lines",
    title: "How many times faster the GPU is",
    where: "figure 7d",
    x: { ...TARGETS, ticks: ticksOf(counts) },
    y: { label: "CPU / GPU", scale: "log" },
    series: shown.map((sources) => ({
      label: `${sources} sources`,
      points: over(counts, (targets) => found.gain(targets, sources)),
    })),
    rules: [{ at: 1, label: "equal" }],
  };
}

const REMARKS = [
  "The paper gives its times in plots only; beside ours stand the figures of its text. It ran on a GTX480, GTX680, K20m, GTX Titan and HD7970.",
  "WebGPU has no double precision: float64 is the CPU’s here, one thread of JavaScript. The paper’s double precision is the GPU’s, and its CPU is an SSE2 kernel on up to eight cores.",
  "The paper’s kernels find the nearest neighbour and list neighbours in the same pass; ours don’t when forces are asked for.",
  "The paper’s blocks per multiprocessor and threads per block (figure 1) are choices of CUDA; ours are kernel shapes: how sources reach the arithmetic, how many targets an invocation has, and whether workgroups share out the sources. “1D” and “2D” blocks of its figure 2 correspond to shapes that don’t and that do.",
  "All shapes give the same bits, in the order of 128-source slices (docs/precision.md).",
  "The runs choose steps by the mean of the criteria of orders 4 and 6 on the GPU, as the paper’s do, and by that of order 6 on the CPU. The largest step is 1/8 and ε = 1/256; the paper gives neither. It has 16384 to 524288 particles.",
  "An evaluation of figures 3, 4 and 7 hands bodies over as float64 arrays and gets float64 arrays back, checks and copies of the library included; on the CPU, too.",
  "Several GPUs (figure 5 and the four-GPU lines of figure 6) and the Xeon Phi (section 4.2) aren’t measured.",
];

function leftOut(results: Results, settings: SuiteSettings): string[] {
  const of = (group: string, label: string, key: string) => ({ group, label, result: results.get<object>(key) });
  return leftOutRemark([
    ...shapeTargets(settings).map((targets) => of("kernel shapes", `${targets} targets`, shapesKey(targets))),
    ...fewEngines(settings).map((engine) => of("few targets", ENGINE_NAMES[engine], fewKey(engine))),
    ...runCounts(settings).flatMap((count) =>
      (["double-single", "cpu"] as const).map((engine) =>
        of("block steps", `${count} in ${ENGINE_NAMES[engine]}`, runKey(count, engine)),
      ),
    ),
    ...gridCounts(settings).map((sources) => of("GPU against CPU", `${sources} sources`, gridKey(sources))),
  ]);
}

export function present(results: Results, settings: SuiteSettings): Presentation {
  const found = new Sapporo(results, settings);
  return {
    tables: tables(found),
    plots: [
      shapePlot(found),
      ...fewEngines(settings).flatMap((engine) => fewPlots(found, engine)),
      squarePlot(
        found,
        "As many targets as sources",
        "figure 3",
        KINDS.filter(({ order }) => order === "jerk"),
      ),
      squarePlot(
        found,
        "Order 4 and order 6",
        "figure 4",
        KINDS.filter(({ engine }) => engine !== "single"),
      ),
      ...runPlots(found),
      gridPlot(found),
    ],
    remarks: [...REMARKS, ...leftOut(results, settings)],
  };
}
