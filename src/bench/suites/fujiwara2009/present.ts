/** Tables and plots of the suite `fujiwara2009`: tables II and III with our rows, figures 13 and 14 redrawn. */

import { leftOutRemark } from "../left-out.ts";
import type { LinesPlot, SuiteSeries, SuiteTable } from "../page-model.ts";
import type { Presentation, Results, SuiteSettings } from "../suite.ts";
import { figure } from "../text.ts";
import {
  gigaflops,
  PROGRAM_NAMES,
  PROGRAMS,
  type Program,
  STEPS,
  SYSTEMS,
  scanCounts,
  UNROLLINGS,
  type Unrolling,
} from "./cases.ts";
import { OPTIMISED, TABLE_2, TABLE_3 } from "./published.ts";
import { Fujiwara, scanKey, stepsKey } from "./results.ts";

const PAPER = "  in the paper";
const COUNTS = SYSTEMS.map(({ count }) => count);
const PAPER_NAMES: Record<Unrolling, string> = {
  plain: "no unrolling, paper",
  "targets-4": "targets × 4, paper",
  "targets-4-sources-4": "both × 4, paper",
};

/** "0.52", and a sign behind what was scaled up from a part. */
const marked = (value: number, part: string): string => `${figure(value)}${part === "" ? "" : ` (${part})`}`;

function forceTable(found: Fujiwara): SuiteTable {
  const ofTargets = (targets: number, count: number) => (targets < count ? `${targets} targets` : "");
  const cpu = COUNTS.map((count) => {
    const one = found.cpu(count);
    return one ? marked(one.seconds, ofTargets(one.targets, count)) : null;
  });
  const ours = (program: Program) =>
    COUNTS.map((count) => {
      const one = found.force(count)?.programs[program];
      return one ? marked(one.seconds, ofTargets(one.targets, count)) : null;
    });
  const paper = (program: "cpu" | Unrolling) => [PAPER, ...TABLE_2[program].map(figure)];
  const chosen = [...new Set(COUNTS.flatMap((count) => found.force(count)?.chosen ?? []))];
  return {
    title: "A force evaluation [s] (table II)",
    columns: ["", ...COUNTS.map(String)],
    rows: [
      ["one thread of the CPU, float64", ...cpu],
      paper("cpu"),
      ...UNROLLINGS.flatMap((program) => [[PROGRAM_NAMES[program], ...ours(program)], paper(program)]),
      [chosen.length > 0 ? `${PROGRAM_NAMES.chosen}: ${chosen.join(", ")}` : PROGRAM_NAMES.chosen, ...ours("chosen")],
    ],
    note: "With a number of targets in brackets: that many were timed, and the time was scaled to all of them.",
  };
}

function stepsTable(found: Fujiwara): SuiteTable {
  const ours = (program: Program) =>
    COUNTS.map((count) => {
      const one = found.steps(count, program);
      return one ? marked(one.seconds, one.steps < STEPS ? `from ${one.steps} steps` : "") : null;
    });
  return {
    title: "100 steps [s] (table III)",
    columns: ["", ...COUNTS.map(String)],
    rows: [
      ...UNROLLINGS.flatMap((program) => [
        [PROGRAM_NAMES[program], ...ours(program)],
        [PAPER, ...TABLE_3[program].map(figure)],
      ]),
      [PROGRAM_NAMES.chosen, ...ours("chosen")],
    ],
    note: "“From 3 steps”: the time of so many steps, scaled to a hundred.",
  };
}

function rateTable(found: Fujiwara, settings: SuiteSettings): SuiteTable {
  const counts = scanCounts(settings).filter((count) => found.scan(count));
  return {
    title: "Rate of a force evaluation at 38 operations [Gflop/s] (figure 14)",
    columns: ["", ...counts.map(String)],
    rows: counts.length === 0 ? [] : PROGRAMS.map((program) => [PROGRAM_NAMES[program], ...scanRow(found, program)]),
  };

  function scanRow({ scan }: Fujiwara, program: Program): string[] {
    return counts.map((count) => figure(gigaflops(count, scan.call(found, count)!.programs[program].seconds)));
  }
}

const N = { label: "particles", scale: "log" as const };
/** 10000 would touch 7500. */
const SYSTEM_COUNTS = { ...N, ticks: [7500, 18_000, 100_000].map((at) => ({ at, text: String(at) })) };
const RATE = { label: "Gflop/s at 38 operations", scale: "log" as const };

function stepsPlot(found: Fujiwara): LinesPlot {
  const points = (rate: (count: number, i: number) => number | undefined): [number, number][] =>
    COUNTS.flatMap((count, i) => {
      const value = rate(count, i);
      return value === undefined ? [] : [[count, value] as [number, number]];
    });
  return {
    kind: "lines",
    title: "Rate over 100 steps",
    where: "figure 13",
    x: SYSTEM_COUNTS,
    y: RATE,
    note: "The paper’s points are its table III at 38 operations an interaction.",
    series: [
      ...PROGRAMS.map((program, colour) => ({
        label: PROGRAM_NAMES[program],
        points: points((count) => found.stepsRate(count, program)),
        colour,
      })),
      ...UNROLLINGS.map((program, colour) => ({
        label: PAPER_NAMES[program],
        paper: true,
        points: points((count, i) => STEPS * gigaflops(count, TABLE_3[program][i])),
        colour,
      })),
    ],
  };
}

function scanPlot(found: Fujiwara, settings: SuiteSettings): LinesPlot {
  const series = PROGRAMS.map((program, colour): SuiteSeries => {
    const points = scanCounts(settings).flatMap((count): [number, number][] => {
      const one = found.scan(count)?.programs[program];
      return one ? [[count, gigaflops(count, one.seconds)]] : [];
    });
    return { label: PROGRAM_NAMES[program], points, colour };
  });
  return {
    kind: "lines",
    title: "Rate of a force evaluation",
    where: "figure 14",
    x: N,
    y: RATE,
    series: [
      ...series,
      { label: "optimised, HD 4870, paper", paper: true, points: [[OPTIMISED.count, OPTIMISED.rate]], colour: 3 },
    ],
    note: "The paper’s figure is a plot; of its curve the text gives the largest rate.",
  };
}

function speedUpPlot(found: Fujiwara): LinesPlot {
  const ours = PROGRAMS.map((program, colour): SuiteSeries => {
    const points = COUNTS.flatMap((count): [number, number][] => {
      const value = found.speedUp(count, program);
      return value === undefined ? [] : [[count, value]];
    });
    return { label: PROGRAM_NAMES[program], points, colour };
  });
  const paper = UNROLLINGS.map((program, colour): SuiteSeries => {
    const points = COUNTS.map((count, i): [number, number] => [count, TABLE_2.cpu[i] / TABLE_2[program][i]]);
    return { label: PAPER_NAMES[program], paper: true, points, colour };
  });
  return {
    kind: "lines",
    title: "Speed-up of a force evaluation over one thread of the CPU",
    where: "table II",
    x: SYSTEM_COUNTS,
    y: { label: "CPU / GPU", scale: "log" },
    series: [...ours, ...paper],
  };
}

const REMARKS = [
  "“Targets × 4” and “sources × 4” unroll the loops of the plain kernel as the paper’s figures 3 and 4 do; all shapes give the same bits. “As chosen here” is what a run takes: the fastest of these and of shapes that pass sources through workgroup memory or subgroups.",
  "A force evaluation is timed with the bodies on the GPU and the result left there; the paper doesn’t say whether its transfers count. A step of ours does everything on the GPU, the paper’s integrates on the host.",
  "The paper’s CPU program is single-precision C++ on one core of a Core 2 E8400; ours sums in float64 in one thread of JavaScript.",
  "The four systems have the paper’s numbers of particles, steps and softenings; the galaxies are our own, for it doesn’t print theirs. The time doesn’t depend on where bodies are.",
  "Table III names its last row “dividing-input”; the text calls the same figures double-unrolling, which is what stands beside them here.",
];

export function present(results: Results, settings: SuiteSettings): Presentation {
  const found = new Fujiwara(results);
  const steps = SYSTEMS.flatMap(({ count }) =>
    PROGRAMS.map((program) => ({
      group: `${STEPS} steps of ${count}`,
      label: PROGRAM_NAMES[program],
      result: results.get<object>(stepsKey(count, program)),
    })),
  );
  const scan = scanCounts(settings).map((count) => ({
    group: "scan over N",
    label: String(count),
    result: results.get<object>(scanKey(count)),
  }));
  return {
    tables: [forceTable(found), stepsTable(found), rateTable(found, settings)],
    plots: [stepsPlot(found), scanPlot(found, settings), speedUpPlot(found)],
    remarks: [...REMARKS, ...leftOutRemark([...steps, ...scan])],
  };
}
