/** The suite `sapporo2`, after Bédorf, Gaburov & Portegies Zwart (2015), sections 3 and 4.1. */
import type { ChartAxis } from "../../../page/axes.ts";
import { exponential, milliseconds, prefixed } from "../../../page/numbers.ts";
import { ENGINES, type Engine, type GpuEngine } from "../hermite.ts";
import type { LinesPlot, SuiteTable } from "../page-model.ts";
import type { Maybe, Presentation, Quantity, Results, Suite, SuiteSettings } from "../spec.ts";
import { lines, pointsOf, quantity, ratio, table } from "../spec.ts";
import { figure } from "../text.ts";
import { inMs, numbered, ticksOf } from "./axes.ts";
import { namesOf } from "./kernels.ts";
import {
  type BlockResult,
  DOUBLE_SINGLE,
  DOUBLE_SINGLE_6,
  FLOAT64,
  FLOAT64_6,
  FULL,
  KINDS,
  type Kind,
  SINGLE,
  SOURCES,
} from "./measure.ts";
import { PAPER_ERRORS, published } from "./published.ts";
import {
  casesOf,
  costAt,
  ENGINE_NAMES,
  evaluation,
  FEW,
  fewSeconds,
  GRID,
  gain,
  measurements,
  RUN,
  RUN_ENGINES,
  SHAPES,
  shapeNames,
  share,
  timesShare,
} from "./quantities.ts";
import { SQUARES_OF_RANKS } from "./ranked.ts";
import { several } from "./several.ts";

const TARGETS: ChartAxis = { label: "targets", scale: "log" };
const TIME: ChartAxis = { label: "time [ms]", scale: "log" };

const ORDER_NAMES = { jerk: "order 4", snap: "order 6" };
const kindName = ({ order, engine }: Kind) => `${ORDER_NAMES[order]}, ${ENGINE_NAMES[engine]}`;

/** A shape that shares out sources has the colour of one that reads them in the same way and doesn't. */
const LIKE: Record<string, string> = {
  split: "plain",
  "split-tiles": "tiles",
  "split-subgroups": "subgroups",
  "split-slices": "targets-4",
};

/** Figure 1. */
function shapes(results: Results, settings: SuiteSettings) {
  const cases = casesOf(settings);
  const names = shapeNames(results, cases);
  const measured = cases.shapes.filter((targets) => results.of(SHAPES, { targets }));
  const scan = results.of(SHAPES, { targets: measured[0] });
  const whole = names.filter((name) => !(name in LIKE));
  const times = names.map((name) => {
    const of = (targets: number) => inMs(results.of(SHAPES, { targets })?.shapes[name]?.seconds);
    const look = { colour: whole.indexOf(LIKE[name] ?? name), dashed: name in LIKE };
    return quantity(name, of, { text: milliseconds, look });
  });
  const inUse = (name: string) => {
    const { fewest, ...others } = scan?.chosen ?? {};
    const used = fewest === scan?.chosen.few ? others : { fewest, ...others };
    const uses = Object.entries(used).flatMap(([use, shape]) => (shape === name ? [use] : []));
    return uses.length > 0 ? `${name} (in use for ${uses.join(", ")})` : name;
  };
  return {
    table: table({
      title: `Kernel shapes by number of targets, ${SOURCES} sources [ms] (figure 1)`,
      corner: "shape",
      over: measured,
      along: "across",
      quantities: times.map((one) => ({ ...one, label: inUse(one.label) })),
      note: "Acceleration and jerk in double-single. “split” shapes share out the sources over workgroups and need a second kernel, which is counted.",
    }),
    plot: lines({
      title: `Kernel shapes, ${SOURCES} sources`,
      where: "figure 1",
      x: { ...TARGETS, ticks: ticksOf(cases.shapes) },
      y: TIME,
      over: cases.shapes,
      quantities: times,
      note: "Dashed: shapes that share out the sources over workgroups.",
    }),
  };
}

const ACTIVE: ChartAxis = {
  ...{ label: "active targets", scale: "log" },
  ticks: [1, 4, 16, 64, 256].map((at) => ({ at, text: String(at) })),
};

/** Figure 2; nothing where it wasn't measured. */
function fewTargets(results: Results, precision: GpuEngine): { tables: SuiteTable[]; plots: LinesPlot[] } {
  const few = results.of(FEW, { precision });
  if (!few) return { tables: [], plots: [] };
  const { chosen } = few;
  const names = namesOf(chosen);
  const over = few.times.map(({ targets }) => targets);
  const times = (name: string, label = `${name} [ms]`) =>
    quantity(label, (targets) => inMs(fewSeconds(results, precision, targets, name)), { text: milliseconds });
  const shares = (name: string, label = "× share") =>
    quantity(label, (targets) => timesShare(results, precision, targets, name));
  const uses = {
    few: "sources shared out",
    fewest: "over invocations, too",
    many: "for many targets",
    middle: "for more targets",
  } as const;
  const label = (name: string) => {
    const use = (Object.keys(uses) as (keyof typeof uses)[]).find((one) => chosen[one] === name)!;
    return `${name}: ${uses[use]}`;
  };
  const drawn = { where: "figure 2", x: ACTIVE, over };
  const one = share(results, precision);
  return {
    tables: [
      table({
        title: `Few targets of ${SOURCES} sources, ${ENGINE_NAMES[precision]} (figure 2)`,
        corner: "active",
        over,
        quantities: names.flatMap((name) => [times(name), shares(name)]),
        note: `× share: over the proportional share of the fastest at ${FULL} targets. “split” shapes share out the sources, the last shape is what many targets take.`,
      }),
    ],
    plots: [
      lines({
        title: `Few targets of ${SOURCES} sources, ${ENGINE_NAMES[precision]}`,
        ...drawn,
        y: TIME,
        quantities: [
          ...names.map((name) => times(name, label(name))),
          quantity(`share of ${FULL} targets`, (targets) => inMs(one && one * targets), {
            ...{ paper: true, look: { curve: true, dashed: true } },
          }),
        ],
      }),
      lines({
        title: `Time over the proportional share, ${ENGINE_NAMES[precision]}`,
        ...drawn,
        y: { label: "time / share", scale: "log" },
        quantities: names.map((name) => shares(name, label(name))),
        rules: [{ at: 1 }],
      }),
    ],
  };
}

/** Figures 3 and 4. */
function squares(results: Results, { squares: over }: ReturnType<typeof casesOf>) {
  const time = (kind: Kind): Quantity => ({
    label: kindName(kind),
    of: (count) => inMs(evaluation(results, count, kind)?.seconds),
    text: (value, count) => {
      const { targets } = evaluation(results, count, kind)!;
      return targets < count ? `${milliseconds(value)} (${targets})` : milliseconds(value);
    },
    look: { colour: ENGINES.indexOf(kind.engine) + (kind.order === "snap" ? ENGINES.length : 0) },
  });
  const cost = (label: string, kind: Kind, other: Kind) =>
    quantity(label, (count) => costAt(results, count, kind, other));
  const rate = (count: number) => ratio(count ** 2, evaluation(results, count, DOUBLE_SINGLE)?.seconds);
  const plot = (title: string, where: string, kinds: readonly Kind[]) => {
    const last = kinds.find(({ engine }) => engine === "double-single")!;
    const points = pointsOf(over, time(last).of);
    const ends = points.length > 1 ? [points[0], points[points.length - 1]] : [];
    return lines({
      ...{ title, where, x: numbered("targets = sources", over), y: TIME, over },
      quantities: kinds.map(time),
      more: [
        {
          label: "N²", // through the last point
          points: ends.map(([n]): [number, number] => [n, ends[1][1] * (n / ends[1][0]) ** 2]),
          ...{ paper: true, curve: true, dashed: true },
        },
      ],
      note: "From bodies on the host to forces on the host.",
    });
  };
  return {
    tables: [
      table({
        title: "As many targets as sources, transfers included [ms] (figures 3 and 4)",
        ...{ corner: "N", over, quantities: KINDS.map(time) },
        note: "Order 4: acceleration and jerk; order 6: and snap. With a number in brackets: so many targets were timed, and the time was scaled to all.",
      }),
      table({
        title: "What precision and order cost (figures 3 and 4)",
        ...{ corner: "N", over },
        quantities: [
          quantity("interactions/s, order 4, double-single", rate, { text: prefixed }),
          cost("double-single / single", DOUBLE_SINGLE, SINGLE),
          cost("float64 / double-single", FLOAT64, DOUBLE_SINGLE),
          cost("order 6 / 4, double-single", DOUBLE_SINGLE_6, DOUBLE_SINGLE),
          cost("order 6 / 4, float64", FLOAT64_6, FLOAT64),
          cost("float64 / double-single, order 6", FLOAT64_6, DOUBLE_SINGLE_6),
        ],
      }),
    ],
    plots: [
      plot(
        "As many targets as sources",
        "figure 3",
        KINDS.filter(({ order }) => order === "jerk"),
      ),
      plot(
        "Order 4 and order 6",
        "figure 4",
        KINDS.filter(({ engine }) => engine !== "single"),
      ),
    ],
  };
}

/** Figure 6. */
function runs(results: Results, { runs: counts }: ReturnType<typeof casesOf>) {
  type Run = { count: number; engine: Engine };
  const ofRun = (of: (run: BlockResult) => Maybe) => (one: Run) => {
    const run = results.of(RUN, one);
    return run && of(run);
  };
  const column = (label: string, of: (run: BlockResult) => number, text = figure) =>
    quantity(label, ofRun(of), { text });
  const perUnit = ({ seconds, span }: BlockResult) => seconds / span;
  const active = ({ particleSteps, blocks }: BlockResult) => particleSteps / blocks;
  const plot = (title: string, y: ChartAxis, of: (run: BlockResult) => Maybe, rules: LinesPlot["rules"] = []) =>
    lines({
      ...{ title, where: "figure 6", x: numbered("particles", counts), y, over: counts, rules },
      quantities: RUN_ENGINES.map((engine) => {
        const look = { colour: ENGINES.indexOf(engine) };
        return quantity(ENGINE_NAMES[engine], (count) => ofRun(of)({ count, engine }), { look });
      }),
    });
  return {
    table: table({
      title: "Hermite 6 with block steps (figure 6)",
      corner: "N",
      over: counts.flatMap((count) => RUN_ENGINES.map((engine): Run => ({ count, engine }))),
      name: ({ count, engine }) => `${count}, ${ENGINE_NAMES[engine]}`,
      quantities: [
        column("time units", ({ span }) => span),
        column("seconds", ({ seconds }) => seconds),
        column("s per unit", perUnit),
        column("blocks per unit", ({ blocks, span }) => Math.round(blocks / span), String),
        column("mean active", active),
        column("ΔE/E", (run) => run.energyError, exponential),
      ],
      note: "Runs that would take too long end after some eighths of the unit; seconds and blocks per unit are scaled then, the energy error isn’t.",
    }),
    plots: [
      plot("Time of a time unit", { label: "time [s]", scale: "log" }, perUnit),
      plot("Mean active", { label: "particles", scale: "log" }, active),
      plot(
        "Energy error after a time unit",
        { label: "|ΔE/E|", scale: "log" },
        (run) => (run.span === 1 ? Math.abs(run.energyError) : undefined),
        [
          { at: PAPER_ERRORS.doubleSingle, label: "paper, double-single" },
          { at: PAPER_ERRORS.double, label: "paper, double" },
        ],
      ),
    ],
  };
}

const MOST_CURVES = 6;

/** Figure 7: rows or curves by sources, targets along the other axis. */
function grid(results: Results, { grid: counts }: ReturnType<typeof casesOf>) {
  const bySources = (title: string, of: (targets: number, sources: number) => Maybe, text = figure, note?: string) =>
    table({
      ...{ title, over: counts, name: (sources: number) => `${sources} sources` },
      quantities: counts.map((targets) => quantity(String(targets), (sources) => of(targets, sources), { text })),
      ...(note && { note }),
    });
  const time = (which: "cpu" | "gpu") => (targets: number, sources: number) =>
    inMs(results.of(GRID, { sources })?.times.find((one) => one.targets === targets)?.[which]);
  const faster = (targets: number, sources: number) => gain(results, targets, sources);
  const every = Math.ceil(counts.length / MOST_CURVES);
  return {
    tables: [
      bySources("Targets and sources on the CPU, one thread [ms] (figure 7a)", time("cpu"), milliseconds),
      bySources("The same on the GPU, transfers included [ms] (figures 7b and 7c)", time("gpu"), milliseconds),
      bySources(
        "How many times faster the GPU is (figure 7d)",
        faster,
        figure,
        "Below 1 the CPU is faster. GPU: double-single.",
      ),
    ],
    plot: lines({
      title: "How many times faster the GPU is",
      where: "figure 7d",
      x: { ...TARGETS, ticks: ticksOf(counts) },
      y: { label: "CPU / GPU", scale: "log" },
      over: counts,
      quantities: counts
        .filter((_, i) => (counts.length - 1 - i) % every === 0)
        .map((sources) => ({ label: `${sources} sources`, of: (targets: number) => faster(targets, sources) })),
      rules: [{ at: 1, label: "equal" }],
    }),
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
  "Figure 5 is measured under mpirun, a rank a GPU; what the folder holds already stays: mpirun --bind-to none -n 4 gravmesh bench sapporo2. The paper shares out the sources, ours are the targets, so that results don’t depend on the number of ranks. Ranks on one device share its time.",
  "The four-GPU lines of figure 6 and the Xeon Phi (section 4.2) aren’t measured.",
];

function present(results: Results, settings: SuiteSettings): Presentation {
  const cases = casesOf(settings);
  const [one, three, five, six, seven] = [
    shapes(results, settings),
    squares(results, cases),
    several(results, cases),
    runs(results, cases),
    grid(results, cases),
  ];
  const two = cases.few.map((precision) => fewTargets(results, precision));
  return {
    tables: [
      one.table,
      ...two.flatMap(({ tables }) => tables),
      ...three.tables,
      ...five.tables,
      six.table,
      ...seven.tables,
    ],
    plots: [one.plot, ...two.flatMap(({ plots }) => plots), ...three.plots, five.plot, ...six.plots, seven.plot],
    published: published(results, settings),
    remarks: REMARKS,
  };
}

export const suite: Suite = {
  id: "sapporo2",
  title: "A library for direct summation",
  paper: "J. Bédorf, E. Gaburov & S. Portegies Zwart 2015, Sapporo2: A versatile direct N-body library, ComAC 2, 8",
  hardware: "a GTX480, GTX680, K20m, GTX Titan and HD7970; the CPU is a Xeon E5620",
  about:
    "Forces with jerk, for Hermite’s order 4, and snap, for order 6: kernel shapes and few active targets of 131072 sources, " +
    "as many targets as sources in each precision, block-step runs of Plummer spheres with Hermite 6, η₄ = 0.01 and " +
    "η₆ = 0.1, and the GPU against the CPU over targets and sources.",
  measurements,
  present,
  ranked: [SQUARES_OF_RANKS],
};
