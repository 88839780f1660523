/** Tables and plots of the suite `aubert2009`: the paper's figures 2, 3 and 4 redrawn, energy, distributions. */
import type { DotsPlot, LinesPlot, SuiteTable } from "../../io/suite-page-model.ts";
import type { Presentation, Results, SuiteSettings } from "../suite.ts";
import { figure, milliseconds } from "../suite-text.ts";
import {
  DISTRIBUTION_NAMES,
  DISTRIBUTIONS,
  type Distribution,
  HISTOGRAMS,
  type Histogram,
  SOLVER_NAMES,
  SOLVERS,
  type Solver,
  sizes,
} from "./aubert2009-cases.ts";
import type { StepTimes } from "./aubert2009-measure.ts";
import { Aubert, histogramTime, span } from "./aubert2009-results.ts";

const cube = (cells: number) => `${cells}³`;
const HISTOGRAM_NAMES: Record<Histogram, string> = { sort: "sort", atomic: "atomics", host: "host" };
/** The bound that the paper sets itself, section 3.1. */
const ENERGY_BOUND = 1e-3;

const text = (value: number | undefined, write: (value: number) => string) =>
  value === undefined ? null : write(value);
const times = (value: number | undefined) => text(value, milliseconds);

type Spot = { cells: number; distribution: Distribution };

/** Sizes and distributions of which anything was measured. */
function spots(found: Aubert, settings: SuiteSettings): Spot[] {
  const all = sizes(settings).gpu.flatMap((cells) => DISTRIBUTIONS.map((distribution) => ({ cells, distribution })));
  return all.filter(({ cells, distribution }) =>
    SOLVERS.some(
      (solver) =>
        found.cpu(cells, distribution, solver) || HISTOGRAMS.some((one) => found.gpu(cells, distribution, solver, one)),
    ),
  );
}

const named = ({ cells, distribution }: Spot) => `${cube(cells)} ${DISTRIBUTION_NAMES[distribution]}`;

/** Time per stage (figure 3). */
function stageTable(found: Aubert, spotted: readonly Spot[]): SuiteTable {
  const row = (
    name: string,
    of: (solver: Solver) => StepTimes | undefined,
    deposit: (histogram: Histogram) => number | undefined,
  ) => {
    const fft = of("fft")?.stages;
    const poisson = SOLVERS.map((solver) => times(of(solver)?.stages.poisson));
    return [
      name,
      times(fft?.order),
      ...HISTOGRAMS.map((one) => times(deposit(one))),
      ...poisson,
      times(fft?.gradient),
      times(fft?.update),
    ];
  };
  const rows = spotted.flatMap((spot) => {
    const { cells, distribution } = spot;
    const gpu = (solver: Solver) => found.gpu(cells, distribution, solver, "sort");
    const cpu = (solver: Solver) => found.cpu(cells, distribution, solver);
    return [
      row(`${named(spot)}, GPU`, gpu, (one) => found.gpu(cells, distribution, "fft", one)?.stages.deposit),
      ...(cpu("fft") ? [row("  CPU", cpu, (one) => (one === "sort" ? cpu("fft")?.stages.deposit : undefined))] : []),
    ];
  });
  return {
    title: "Time per stage of a step [ms] (figure 3)",
    columns: ["", "order", "deposit, sort", "atomics", "host", "FFT", "multigrid", "ours", "gradient", "update"],
    rows,
    note: "GPU: the adapter above. Ordering by cell is part of the histogram by sorting; with the others it only serves the interpolation.",
  };
}

/** Time of a step and speed-up (figure 2). */
function stepTable(found: Aubert, spotted: readonly Spot[], solver: Solver): SuiteTable {
  const rows = spotted.map((spot) => {
    const { cells, distribution } = spot;
    const step = (one: Histogram) => times(found.gpu(cells, distribution, solver, one)?.step.best);
    const gain = (one: Histogram) => text(found.speedUp(cells, distribution, solver, one), figure);
    return [
      named(spot),
      ...HISTOGRAMS.map(step),
      times(found.cpu(cells, distribution, solver)?.step.best),
      ...HISTOGRAMS.map(gain),
    ];
  });
  return {
    title: `A step with ${SOLVER_NAMES[solver]} [ms], and its speed-up over the CPU (figure 2)`,
    columns: ["", "sort", "atomics", "host", "CPU", "speed-up: sort", "atomics", "host"],
    rows,
  };
}

function energyTable(found: Aubert, settings: SuiteSettings): SuiteTable {
  const { energy } = sizes(settings);
  const rows = energy.flatMap((cells) =>
    DISTRIBUTIONS.map((distribution) => {
      const error = (solver: Solver, scheme: "paper" | "deck", histogram: Histogram | "auto") =>
        text(found.energy({ cells, distribution, solver, scheme, histogram })?.energyError, (value) =>
          value.toExponential(1),
        );
      return [
        named({ cells, distribution }),
        ...SOLVERS.map((solver) => error(solver, "paper", "sort")),
        ...SOLVERS.map((solver) => error(solver, "deck", "auto")),
      ];
    }),
  );
  return {
    title: "ΔE/E over a time unit (section 3.1)",
    columns: ["", "NGP: FFT", "multigrid", "ours", "CIC: FFT", "multigrid", "ours"],
    rows: rows.filter((row) => row.slice(1).some((cell) => cell !== null)),
    note: "NGP: the paper's scheme, periodic, histogram by sorting. CIC: what a deck runs with, in its own box, isolated for sphere and disk.",
  };
}

function turnsTable(found: Aubert, settings: SuiteSettings): SuiteTable {
  const { turns } = sizes(settings);
  const measured = found.turns(turns);
  const rows = measured
    ? [
        [
          cube(turns),
          ...DISTRIBUTIONS.map((one) => `${milliseconds(measured[one].best)} (${milliseconds(measured[one].median)})`),
          figure(slowestOverFastest(DISTRIBUTIONS.map((one) => measured[one].best))),
        ],
      ]
    : [];
  return {
    title:
      "A step with the default settings (CIC, FFT, periodic), fastest (median) of repetitions in turns [ms] (section 3.4)",
    columns: ["", ...DISTRIBUTIONS.map((one) => DISTRIBUTION_NAMES[one]), "slowest/fastest"],
    rows,
  };
}

const slowestOverFastest = (values: readonly number[]) => Math.max(...values) / Math.min(...values);

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

/** Whether the three histograms give the same energies, to the last bit. */
function histogramRemark(found: Aubert, settings: SuiteSettings): string[] {
  const cells = sizes(settings).energyOfHistograms;
  const found3 = DISTRIBUTIONS.flatMap((distribution) =>
    SOLVERS.flatMap((solver) => {
      const errors = HISTOGRAMS.map((histogram) =>
        found.energy({ cells, distribution, solver, scheme: "paper", histogram }),
      );
      return errors.every((one) => one !== undefined) ? [errors.map((one) => one.energyError)] : [];
    }),
  );
  if (found3.length === 0) return [];
  const same = found3.every((errors) => errors.every((error) => error === errors[0]));
  return [
    same
      ? `Energy with the three histograms at ${cube(cells)} is the same to the last bit: masses are summed as integers.`
      : `Energy differs between the three histograms at ${cube(cells)}, where the same bits were expected.`,
  ];
}

const REMARKS = [
  "The speed-up is over this machine’s CPU with a float64 pipeline in one thread of JavaScript, the paper’s over float32 C on one core of 2008. On an adapter that is itself a driver on the CPU, it compares two programs on the same processor.",
  "The paper’s figures 2, 3 and 4 are plots; of them only what the text says in numbers is set beside ours.",
  "The energy error over a time unit is the mesh’s, not the step’s: a quarter of the step changes it by a few per cent. It falls with the size of a cell, and from nearest grid point to cloud in cell.",
  "The paper timed a thousand runs of each stage; here the fastest of a few repetitions counts, after a warm-up: of a step, and of each stage. The host’s deposit is what the other stages leave of a step.",
];

export function present(results: Results, settings: SuiteSettings): Presentation {
  const found = new Aubert(results);
  const spotted = spots(found, settings);
  return {
    tables: [
      stageTable(found, spotted),
      ...SOLVERS.map((solver) => stepTable(found, spotted, solver)),
      energyTable(found, settings),
      turnsTable(found, settings),
    ],
    plots: [
      overallPlot(found, settings, "fft"),
      overallPlot(found, settings, "multigrid"),
      ...stagePlots(found, settings),
      energyPlot(found, settings),
    ],
    remarks: [...REMARKS, ...histogramRemark(found, settings)],
  };
}
