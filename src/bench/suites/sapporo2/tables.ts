/** Tables of the suite `sapporo2`: what its figures show, in numbers. */

import { prefixed } from "../../../page/numbers.ts";
import type { SuiteTable } from "../page-model.ts";
import { figure, milliseconds } from "../text.ts";
import {
  ENGINE_NAMES,
  type Engine,
  FULL,
  fewEngines,
  type GpuEngine,
  gridCounts,
  KINDS,
  ORDER_NAMES,
  type Order,
  runCounts,
  SOURCES,
  shapeTargets,
  squareCounts,
} from "./cases.ts";
import { namesOf } from "./kernels.ts";
import type { Sapporo } from "./results.ts";

type Cell = string | null;
const MILLI = 1000;

const cell = (value: number | undefined, text: (value: number) => string = figure): Cell =>
  value === undefined ? null : text(value);
const inMilliseconds = (seconds: number | undefined) => cell(seconds, (value) => milliseconds(MILLI * value));
const measured = (rows: Cell[][]) => rows.filter(([, ...cells]) => cells.some((one) => one !== null));

function shapeTable(found: Sapporo): SuiteTable {
  const counts = shapeTargets(found.settings).filter((targets) => found.shapes(targets));
  const scan = counts.length > 0 ? found.shapes(counts[0]) : undefined;
  const named = (name: string) => {
    const { fewest, ...others } = scan?.chosen ?? {};
    const used = fewest === scan?.chosen.few ? others : { fewest, ...others };
    const uses = Object.entries(used).flatMap(([use, shape]) => (shape === name ? [use] : []));
    return uses.length > 0 ? `${name} (in use for ${uses.join(", ")})` : name;
  };
  const rows = found.shapeNames.map((name) => [
    named(name),
    ...counts.map((targets) => inMilliseconds(found.shapes(targets)?.shapes[name]?.seconds)),
  ]);
  return {
    title: `Kernel shapes by number of targets, ${SOURCES} sources [ms] (figure 1)`,
    columns: ["shape", ...counts.map(String)],
    rows,
    note: "Acceleration and jerk in double-single. “split” shapes share out the sources over workgroups and need a second kernel, which is counted.",
  };
}

function fewTable(found: Sapporo, engine: GpuEngine): SuiteTable {
  const few = found.few(engine);
  const names = few ? namesOf(few.chosen) : [];
  const rows = (few?.times ?? []).map(({ targets, shapes }) => [
    String(targets),
    ...names.flatMap((name) => [inMilliseconds(shapes[name].seconds), cell(found.timesShare(engine, targets, name))]),
  ]);
  return {
    title: `Few targets of ${SOURCES} sources, ${ENGINE_NAMES[engine]} (figure 2)`,
    columns: ["active", ...names.flatMap((name) => [`${name} [ms]`, "× share"])],
    rows,
    note: `× share: over the proportional share of the fastest at ${FULL} targets. “split” shapes share out the sources, the last shape is what many targets take.`,
  };
}

function squareTable(found: Sapporo): SuiteTable {
  const rows = squareCounts(found.settings).map((count) => [
    String(count),
    ...KINDS.map(({ order, engine }) => {
      const one = found.evaluation(count, order, engine);
      if (!one) return null;
      const time = milliseconds(MILLI * one.seconds);
      return one.targets < count ? `${time} (${one.targets})` : time;
    }),
  ]);
  return {
    title: "As many targets as sources, transfers included [ms] (figures 3 and 4)",
    columns: ["N", ...KINDS.map(({ order, engine }) => `${ORDER_NAMES[order]}, ${ENGINE_NAMES[engine]}`)],
    rows: measured(rows),
    note: "Order 4: acceleration and jerk; order 6: and snap. With a number in brackets: so many targets were timed, and the time was scaled to all.",
  };
}

function costTable(found: Sapporo): SuiteTable {
  const rate = (count: number) => {
    const one = found.evaluation(count, "jerk", "double-single");
    return cell(one && count ** 2 / one.seconds, prefixed);
  };
  const over = (count: number, above: [Order, Engine], below: [Order, Engine]) =>
    cell(found.costAt(count, above, below));
  const rows = squareCounts(found.settings).map((count) => [
    String(count),
    rate(count),
    over(count, ["jerk", "double-single"], ["jerk", "single"]),
    over(count, ["jerk", "cpu"], ["jerk", "double-single"]),
    over(count, ["snap", "double-single"], ["jerk", "double-single"]),
    over(count, ["snap", "cpu"], ["jerk", "cpu"]),
    over(count, ["snap", "cpu"], ["snap", "double-single"]),
  ]);
  return {
    title: "What precision and order cost (figures 3 and 4)",
    columns: [
      "N",
      "interactions/s, order 4, double-single",
      "double-single / single",
      "float64 / double-single",
      "order 6 / 4, double-single",
      "order 6 / 4, float64",
      "float64 / double-single, order 6",
    ],
    rows: measured(rows),
  };
}

function runTable(found: Sapporo): SuiteTable {
  const rows = runCounts(found.settings).flatMap((count) =>
    (["double-single", "cpu"] as const).flatMap((engine) => {
      const run = found.run(count, engine);
      if (!run) return [];
      return [
        [
          `${count}, ${ENGINE_NAMES[engine]}`,
          figure(run.span),
          figure(run.seconds),
          figure(run.seconds / run.span),
          String(Math.round(run.blocks / run.span)),
          figure(run.particleSteps / run.blocks),
          run.energyError.toExponential(1),
        ],
      ];
    }),
  );
  return {
    title: "Hermite 6 with block steps (figure 6)",
    columns: ["N", "time units", "seconds", "s per unit", "blocks per unit", "mean active", "ΔE/E"],
    rows,
    note: "Runs that would take too long end after some eighths of the unit; seconds and blocks per unit are scaled then, the energy error isn’t.",
  };
}

/** Rows by sources, columns by targets. */
function gridTable(found: Sapporo, title: string, value: (targets: number, sources: number) => Cell): SuiteTable {
  const counts = gridCounts(found.settings);
  const rows = counts.map((sources) => [`${sources} sources`, ...counts.map((targets) => value(targets, sources))]);
  return { title, columns: ["", ...counts.map(String)], rows: measured(rows) };
}

function gridTables(found: Sapporo): SuiteTable[] {
  const timeOf = (which: "cpu" | "gpu") => (targets: number, sources: number) =>
    inMilliseconds(found.gridRow(sources)?.times.find((one) => one.targets === targets)?.[which]);
  const gain = (targets: number, sources: number) => cell(found.gain(targets, sources));
  return [
    gridTable(found, "Targets and sources on the CPU, one thread [ms] (figure 7a)", timeOf("cpu")),
    gridTable(found, "The same on the GPU, transfers included [ms] (figures 7b and 7c)", timeOf("gpu")),
    {
      ...gridTable(found, "How many times faster the GPU is (figure 7d)", gain),
      note: "Below 1 the CPU is faster. GPU: double-single.",
    },
  ];
}

export function tables(found: Sapporo): SuiteTable[] {
  const engines = fewEngines(found.settings).filter((engine) => found.few(engine));
  return [
    shapeTable(found),
    ...engines.map((engine) => fewTable(found, engine)),
    squareTable(found),
    costTable(found),
    runTable(found),
    ...gridTables(found),
  ];
}
