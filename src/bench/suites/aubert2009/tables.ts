/** Tables of the suite `aubert2009`: time per stage and per step, energy, distributions. */
import type { SuiteTable } from "../page-model.ts";
import type { SuiteSettings } from "../suite.ts";
import { figure, milliseconds } from "../text.ts";
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
import type { StepTimes } from "./measure.ts";
import { type Aubert, histogramTime, ratio } from "./results.ts";

const text = (value: number | undefined, write: (value: number) => string) =>
  value === undefined ? null : write(value);
const times = (value: number | undefined) => text(value, milliseconds);

/** Whether a row holds anything besides its name. */
const measured = ([, ...cells]: readonly (string | null)[]) => cells.some((cell) => cell !== null);

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
    rows: rows.filter(measured),
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
    rows: rows.filter(measured),
    note: "NGP: the paper's scheme, periodic, histogram by sorting. CIC: what a deck runs with, in its own box, isolated for sphere and disk.",
  };
}

function turnsTable(found: Aubert, settings: SuiteSettings): SuiteTable {
  const { turns } = sizes(settings);
  const steps = found.turns(turns);
  const rows = steps
    ? [
        [
          cube(turns),
          ...DISTRIBUTIONS.map((one) => `${milliseconds(steps[one].best)} (${milliseconds(steps[one].median)})`),
          figure(slowestOverFastest(DISTRIBUTIONS.map((one) => steps[one].best))),
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

/** What the particles' distribution does to each stage that works on particles (section 3.4). */
function distributionTable(found: Aubert, settings: SuiteSettings): SuiteTable {
  const full = (cells: number) => DISTRIBUTIONS.every((one) => found.gpu(cells, one, "fft", "sort"));
  const cells = sizes(settings).gpu.findLast(full);
  const others = ["plummer", "disk"] as const;
  const row = (name: string, time: (distribution: Distribution) => number | undefined) => [
    name,
    ...others.map((other) => text(ratio(time("uniform"), time(other)), figure)),
  ];
  const gpu = (distribution: Distribution, histogram: Histogram) =>
    cells === undefined ? undefined : found.gpu(cells, distribution, "fft", histogram);
  const cpu = (distribution: Distribution) => (cells === undefined ? undefined : found.cpu(cells, distribution, "fft"));
  const rows = [
    ...HISTOGRAMS.map((histogram) =>
      row(`histogram, ${HISTOGRAM_NAMES[histogram]}`, (distribution) => {
        const times = gpu(distribution, histogram);
        return times && histogramTime(times, histogram);
      }),
    ),
    row("histogram, CPU", (distribution) => {
      const times = cpu(distribution);
      return times && histogramTime(times, "cpu");
    }),
    row("update", (distribution) => gpu(distribution, "sort")?.stages.update),
    row("update, CPU", (distribution) => cpu(distribution)?.stages.update),
    row("step, sort", (distribution) => gpu(distribution, "sort")?.step.best),
  ];
  return {
    title: `Time for the uniform distribution over that for a concentrated one, NGP${cells === undefined ? "" : `, ${cube(cells)}`} (section 3.4)`,
    columns: ["", ...others.map((other) => `over ${DISTRIBUTION_NAMES[other]}`)],
    rows: cells === undefined ? [] : rows,
    note: "The paper, without numbers: by sorting it hardly matters; the CPU's and the host's histogram are slower for the uniform one, and so is the CPU's update.",
  };
}

const slowestOverFastest = (values: readonly number[]) => Math.max(...values) / Math.min(...values);

/** All of them; without rows where nothing was measured. */
export function aubertTables(found: Aubert, settings: SuiteSettings): SuiteTable[] {
  const spotted = spots(found, settings);
  return [
    stageTable(found, spotted),
    ...SOLVERS.map((solver) => stepTable(found, spotted, solver)),
    energyTable(found, settings),
    distributionTable(found, settings),
    turnsTable(found, settings),
  ];
}
