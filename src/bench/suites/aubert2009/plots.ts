/** Plots of the suite `aubert2009`: the paper's figures 2, 3 and 4 redrawn, and the energy of section 3.1. */
import type { DotsPlot, LinesPlot, SuitePlot } from "../page-model.ts";
import type { SuiteSettings } from "../suite.ts";
import {
  cube,
  DISTRIBUTION_NAMES,
  DISTRIBUTIONS,
  type Distribution,
  HISTOGRAM_NAMES,
  HISTOGRAMS,
  type Histogram,
  SOLVER_NAMES,
  SOLVERS,
  type Solver,
  sizes,
} from "./cases.ts";
import { type Aubert, histogramTime, span } from "./results.ts";

/** The bound that the paper sets itself, section 3.1. */
const ENERGY_BOUND = 1e-3;

const PAPER_STEPS: Partial<Record<Solver, Partial<Record<Histogram, [number, number][]>>>> = {
  fft: {
    sort: [
      [32, 1.6],
      [128, 11.5],
    ],
    host: [
      [32, 2.5],
      [128, 18],
    ],
  },
  multigrid: { sort: [[128, 43]], host: [[128, 52]] },
};

/** Figure 2: speed-up of a step against the number of cells. */
function overallPlot(found: Aubert, settings: SuiteSettings, solver: "fft" | "multigrid"): LinesPlot {
  const { cpu } = sizes(settings);
  const ours = HISTOGRAMS.flatMap((histogram, colour) =>
    DISTRIBUTIONS.map((distribution) => ({
      label: HISTOGRAM_NAMES[histogram],
      colour,
      points: cpu.flatMap((cells): [number, number][] => {
        const gain = found.speedUp(cells, distribution, solver, histogram);
        return gain === undefined ? [] : [[cells, gain]];
      }),
    })),
  );
  const paper = HISTOGRAMS.flatMap((histogram, colour) => {
    const points = PAPER_STEPS[solver]?.[histogram];
    return points
      ? [{ label: `paper, ${histogram === "sort" ? "full GPU" : "GPU mixed"}`, paper: true, colour, points }]
      : [];
  });
  const shown = [...new Set([...cpu, ...(solver === "fft" ? [32, 128] : [128])])].sort((a, b) => a - b);
  return {
    kind: "lines",
    title: `Speed-up of a step, ${SOLVER_NAMES[solver]}`,
    where: "figure 2",
    x: { label: "cells", scale: "log", ticks: shown.map((cells) => ({ at: cells, text: cube(cells) })) },
    y: { label: "CPU / GPU", scale: "log" },
    series: [...ours, ...paper],
    rules: [{ at: 1 }],
    note:
      solver === "fft"
        ? "A curve a distribution. Of the paper, the ends of the ranges that its text gives."
        : "A curve a distribution. Of the paper, what its text gives; at every size it is at least 10.",
  };
}

interface StageRow {
  name: string;
  /** [ms] */
  gpu: (distribution: Distribution) => number | undefined;
  cpu: (distribution: Distribution) => number | undefined;
}

function stageRows(found: Aubert, cells: number): StageRow[] {
  const histograms = HISTOGRAMS.map((histogram) => ({
    name: `histogram, ${HISTOGRAM_NAMES[histogram]}`,
    gpu: (distribution: Distribution) => {
      const gpu = found.gpu(cells, distribution, "fft", histogram);
      return gpu && histogramTime(gpu, histogram);
    },
    cpu: (distribution: Distribution) => {
      const cpu = found.cpu(cells, distribution, "fft");
      return cpu && histogramTime(cpu, "cpu");
    },
  }));
  const solvers = SOLVERS.map((solver) => ({
    name: { fft: "FFT", multigrid: "multigrid", "multigrid-default": "multigrid, ours" }[solver],
    gpu: (distribution: Distribution) => found.gpu(cells, distribution, solver, "sort")?.stages.poisson,
    cpu: (distribution: Distribution) => found.cpu(cells, distribution, solver)?.stages.poisson,
  }));
  const others = (["gradient", "update"] as const).map((stage) => ({
    name: stage,
    gpu: (distribution: Distribution) => found.gpu(cells, distribution, "fft", "sort")?.stages[stage],
    cpu: (distribution: Distribution) => found.cpu(cells, distribution, "fft")?.stages[stage],
  }));
  return [...histograms, ...solvers, ...others];
}

/** Figures 3 and 4, at the largest size that both were measured at. */
function stagePlots(found: Aubert, settings: SuiteSettings): DotsPlot[] {
  const cells = sizes(settings).cpu.findLast((size) =>
    DISTRIBUTIONS.some((one) => found.speedUp(size, one, "fft", "sort")),
  );
  if (cells === undefined) return [];
  const rows = stageRows(found, cells);
  const names = rows.map(({ name }) => name);
  const gains = rows.map(({ gpu, cpu }) =>
    span(
      DISTRIBUTIONS.map((distribution) => {
        const [above, below] = [cpu(distribution), gpu(distribution)];
        return above && below ? above / below : undefined;
      }),
    ),
  );
  const paper: Record<string, number | [number, number]> = {
    FFT: 40,
    multigrid: 60,
    gradient: [5, 120],
    update: [5, 120],
  };
  if (cells === 128) Object.assign(paper, { "histogram, sort": 0.2, "histogram, host": 0.5 });
  return [
    {
      kind: "dots",
      title: `Time per stage of a step, ${cube(cells)}`,
      where: "figure 3",
      x: { label: "[ms]", scale: "log" },
      rows: names,
      series: [
        { label: "GPU", values: rows.map(({ gpu }) => span(DISTRIBUTIONS.map(gpu))) },
        { label: "CPU, float64, one thread", values: rows.map(({ cpu }) => span(DISTRIBUTIONS.map(cpu))) },
      ],
      note: "From the fastest to the slowest distribution. The paper's figure has no numbers in its text.",
    },
    {
      kind: "dots",
      title: `Speed-up per stage, ${cube(cells)}`,
      where: "figure 4",
      x: { label: "CPU / GPU", scale: "log" },
      rows: names,
      series: [
        { label: "ours", values: gains },
        { label: "paper, 128³", paper: true, values: names.map((name) => paper[name] ?? null) },
      ],
      rule: 1,
      note: "Ours from the least to the largest over the distributions; of the paper, what its text gives.",
    },
  ];
}

function energyPlot(found: Aubert, settings: SuiteSettings): DotsPlot {
  const cells = Math.max(...sizes(settings).energy);
  const cases = DISTRIBUTIONS.flatMap((distribution) => SOLVERS.map((solver) => ({ distribution, solver })));
  const values = (scheme: "paper" | "deck", histogram: "sort" | "auto") =>
    cases.map(({ distribution, solver }) => {
      const energy = found.energy({ cells, distribution, solver, scheme, histogram });
      return energy ? Math.abs(energy.energyError) : null;
    });
  const short = { fft: "FFT", multigrid: "multigrid", "multigrid-default": "multigrid, ours" } as const;
  return {
    kind: "dots",
    title: `Energy error over a time unit, ${cube(cells)}`,
    where: "section 3.1",
    x: { label: "|ΔE/E|", scale: "log" },
    rows: cases.map(({ distribution, solver }) => `${DISTRIBUTION_NAMES[distribution]}, ${short[solver]}`),
    series: [
      { label: "NGP, as in the paper", values: values("paper", "sort") },
      { label: "CIC, in the deck's box", values: values("deck", "auto") },
    ],
    rule: ENERGY_BOUND,
    note: "The dotted line is the 10⁻³ that the paper sets itself.",
  };
}

export function aubertPlots(found: Aubert, settings: SuiteSettings): SuitePlot[] {
  return [
    overallPlot(found, settings, "fft"),
    overallPlot(found, settings, "multigrid"),
    ...stagePlots(found, settings),
    energyPlot(found, settings),
  ];
}
