/** The suite `aubert2009`, after Aubert, Amini & David (2009), section 3. */
import { exponential, milliseconds } from "../../../page/numbers.ts";
import type { DotsPlot, LinesPlot, SuiteTable } from "../page-model.ts";
import type { Maybe, Presentation, Quantity, Results, Suite, SuiteSettings } from "../spec.ts";
import { lines, quantity, ratio, table } from "../spec.ts";
import type { Distribution, Histogram, Solver, StepTimes } from "./measure.ts";
import { DISTRIBUTIONS, HISTOGRAMS, SOLVERS } from "./measure.ts";
import { ENERGY_BOUND, HISTOGRAM_GAINS, LARGE, published, STAGE_GAINS, STEP_GAINS } from "./published.ts";
import type { Spot } from "./quantities.ts";
import {
  CIC,
  CONCENTRATED,
  cube,
  Found,
  gainOf,
  HISTOGRAM_NAMES,
  measurements,
  NAMES,
  NGP,
  type OfDistribution,
  SHORT_NAMES,
  SOLVER_NAMES,
  sizes,
  span,
  spotName,
} from "./quantities.ts";

const spotsOf = (list: readonly number[]): Spot[] =>
  list.flatMap((cells) => DISTRIBUTIONS.map((distribution) => ({ cells, distribution })));

/** A time [ms]. */
const time = <X>(label: string, of: Quantity<X>["of"]) => quantity(label, of, { text: milliseconds });

/** Figure 2: a step and its speed-up. */
function stepTable(found: Found, settings: SuiteSettings, solver: Solver): SuiteTable {
  return table({
    title: `A step with ${SOLVER_NAMES[solver]} [ms], and its speed-up over the CPU (figure 2)`,
    over: spotsOf(sizes(settings).gpu),
    name: spotName,
    quantities: [
      ...HISTOGRAMS.map((one) => time(HISTOGRAM_NAMES[one], (spot: Spot) => found.gpu(spot, solver, one)?.step.best)),
      time("CPU", (spot: Spot) => found.cpu(spot, solver)?.step.best),
      ...HISTOGRAMS.map((one, i) =>
        quantity(`${i === 0 ? "speed-up: " : ""}${HISTOGRAM_NAMES[one]}`, (spot: Spot) =>
          found.speedUp(spot, solver, one),
        ),
      ),
    ],
  });
}

/** Figure 2: the speed-up against the number of cells. */
function stepPlot(found: Found, settings: SuiteSettings, solver: "fft" | "multigrid"): LinesPlot {
  const over = sizes(settings).cpu;
  const paper = (["sort", "host"] as const).map((one) => ({
    label: `paper, ${one === "sort" ? "full GPU" : "GPU mixed"}`,
    paper: true,
    colour: HISTOGRAMS.indexOf(one),
    points: STEP_GAINS[solver][one],
  }));
  const shown = [...over, ...paper.flatMap(({ points }) => points.map(([cells]) => cells))];
  return lines({
    title: `Speed-up of a step, ${SOLVER_NAMES[solver]}`,
    where: "figure 2",
    x: {
      ...{ label: "cells", scale: "log" },
      ticks: [...new Set(shown)].sort((a, b) => a - b).map((cells) => ({ at: cells, text: cube(cells) })),
    },
    y: { label: "CPU / GPU", scale: "log" },
    over,
    quantities: HISTOGRAMS.flatMap((one, colour) =>
      DISTRIBUTIONS.map((distribution) => {
        const of = (cells: number) => found.speedUp({ cells, distribution }, solver, one);
        return quantity(HISTOGRAM_NAMES[one], of, { look: { colour } });
      }),
    ),
    more: paper,
    rules: [{ at: 1 }],
    note:
      solver === "fft"
        ? "A curve a distribution. Of the paper, the ends of the ranges that its text gives."
        : "A curve a distribution. Of the paper, what its text gives; at every size it is at least 10.",
  });
}

/** Figure 3: time per stage. */
function stageTable(found: Found, settings: SuiteSettings): SuiteTable {
  interface Row {
    name: string;
    of: (solver: Solver) => StepTimes | undefined;
    deposit: (histogram: Histogram) => Maybe;
  }
  const rows = spotsOf(sizes(settings).gpu).flatMap((spot): Row[] => {
    const gpu = (solver: Solver) => found.gpu(spot, solver, "sort");
    const cpu = (solver: Solver) => found.cpu(spot, solver);
    const fft = (one: Histogram) => found.gpu(spot, "fft", one);
    const any = SOLVERS.some((solver) => cpu(solver) || HISTOGRAMS.some((one) => found.gpu(spot, solver, one)));
    const cpuDeposit = (one: Histogram) => (one === "sort" ? cpu("fft")?.stages.deposit : undefined);
    return [
      ...(any
        ? [{ name: `${spotName(spot)}, GPU`, of: gpu, deposit: (one: Histogram) => fft(one)?.stages.deposit }]
        : []),
      ...(cpu("fft") ? [{ name: "  CPU", of: cpu, deposit: cpuDeposit }] : []),
    ];
  });
  return table({
    title: "Time per stage of a step [ms] (figure 3)",
    over: rows,
    name: (row) => row.name,
    whole: true,
    quantities: [
      time("order", ({ of }: Row) => of("fft")?.stages.order),
      ...HISTOGRAMS.map((one, i) =>
        time(`${i === 0 ? "deposit, " : ""}${HISTOGRAM_NAMES[one]}`, ({ deposit }: Row) => deposit(one)),
      ),
      ...SOLVERS.map((one) => time(TABLE_NAMES[one], ({ of }: Row) => of(one)?.stages.poisson)),
      time("gradient", ({ of }: Row) => of("fft")?.stages.gradient),
      time("update", ({ of }: Row) => of("fft")?.stages.update),
    ],
    note: "GPU: the adapter above. Ordering by cell is part of the histogram by sorting; with the others it only serves the interpolation.",
  });
}

/** Heads of columns. */
const TABLE_NAMES: Record<Solver, string> = { fft: "FFT", multigrid: "multigrid", "multigrid-default": "ours" };

/** Figures 3 and 4, at the largest size that both were measured at. */
function stagePlots(found: Found, settings: SuiteSettings): DotsPlot[] {
  const cells = sizes(settings).cpu.findLast((size) =>
    DISTRIBUTIONS.some((distribution) => found.speedUp({ cells: size, distribution }, "fft", "sort")),
  );
  if (cells === undefined) return [];
  const stages = found.stages(cells);
  const rows = stages.map(({ label }) => label);
  const paper: Record<string, number | readonly [number, number]> = {
    ...STAGE_GAINS,
    ...(cells === LARGE && {
      "histogram, sort": HISTOGRAM_GAINS.sort[LARGE],
      "histogram, host": HISTOGRAM_GAINS.host[LARGE],
    }),
  };
  return [
    {
      kind: "dots",
      title: `Time per stage of a step, ${cube(cells)}`,
      where: "figure 3",
      x: { label: "[ms]", scale: "log" },
      rows,
      series: [
        { label: "GPU", values: stages.map(({ gpu }) => span(gpu)) },
        { label: "CPU, float64, one thread", values: stages.map(({ cpu }) => span(cpu)) },
      ],
      note: "From the fastest to the slowest distribution. The paper's figure has no numbers in its text.",
    },
    {
      kind: "dots",
      title: `Speed-up per stage, ${cube(cells)}`,
      where: "figure 4",
      x: { label: "CPU / GPU", scale: "log" },
      rows,
      series: [
        { label: "ours", values: stages.map((stage) => span((one) => gainOf(stage)(one) || undefined)) },
        { label: "paper, 128³", paper: true, values: rows.map((label) => paper[label] ?? null) },
      ],
      rule: 1,
      note: "Ours from the least to the largest over the distributions; of the paper, what its text gives.",
    },
  ];
}

/** Section 3.1. */
function energyTable(found: Found, settings: SuiteSettings): SuiteTable {
  return table({
    title: "ΔE/E over a time unit (section 3.1)",
    over: spotsOf(sizes(settings).energy),
    name: spotName,
    quantities: [NGP, CIC].flatMap((one) =>
      SOLVERS.map((solver, i) => {
        const label = `${i > 0 ? "" : one === NGP ? "NGP: " : "CIC: "}${TABLE_NAMES[solver]}`;
        return quantity(label, (spot: Spot) => found.energyError(spot, solver, one), { text: exponential });
      }),
    ),
    note: "NGP: the paper's scheme, periodic, histogram by sorting. CIC: what a deck runs with, in its own box, isolated for sphere and disk.",
  });
}

function energyPlot(found: Found, settings: SuiteSettings): DotsPlot {
  const cells = Math.max(...sizes(settings).energy);
  const cases = DISTRIBUTIONS.flatMap((distribution) => SOLVERS.map((solver) => ({ distribution, solver })));
  const values = (one: typeof NGP | typeof CIC) =>
    cases.map(({ distribution, solver }) => {
      const error = found.energyError({ cells, distribution }, solver, one);
      return error === undefined ? null : Math.abs(error);
    });
  return {
    kind: "dots",
    title: `Energy error over a time unit, ${cube(cells)}`,
    where: "section 3.1",
    x: { label: "|ΔE/E|", scale: "log" },
    rows: cases.map(({ distribution, solver }) => `${NAMES[distribution]}, ${SHORT_NAMES[solver]}`),
    series: [
      { label: "NGP, as in the paper", values: values(NGP) },
      { label: "CIC, in the deck's box", values: values(CIC) },
    ],
    rule: ENERGY_BOUND,
    note: "The dotted line is the 10⁻³ that the paper sets itself.",
  };
}

/** Section 3.4: a step of each distribution, in turns. */
function turnsTable(found: Found, settings: SuiteSettings): SuiteTable {
  const { turns } = sizes(settings);
  const steps = found.turns(turns);
  const best = steps && DISTRIBUTIONS.map((one) => steps[one].best);
  return table({
    title:
      "A step with the default settings (CIC, FFT, periodic), fastest (median) of repetitions in turns [ms] (section 3.4)",
    over: [turns],
    name: cube,
    quantities: [
      ...DISTRIBUTIONS.map((one) => {
        const text = (value: number) => `${milliseconds(value)} (${milliseconds(steps![one].median)})`;
        return quantity(NAMES[one], () => steps?.[one].best, { text });
      }),
      quantity("slowest/fastest", () => best && Math.max(...best) / Math.min(...best)),
    ],
  });
}

/** Section 3.4: what the particles' distribution does to each stage that works on particles. */
function distributionTable(found: Found, settings: SuiteSettings): SuiteTable {
  const cells = sizes(settings).gpu.findLast((size) =>
    DISTRIBUTIONS.every((distribution) => found.gpu({ cells: size, distribution }, "fft", "sort")),
  );
  const row = (label: string, of: OfDistribution) =>
    quantity(label, (other: Distribution) => ratio(of("uniform"), of(other)));
  const rows = (size: number) => {
    const stages = found.stages(size);
    const [sort, update] = [stages[0], found.stage(size, "update")];
    return [
      ...stages.slice(0, HISTOGRAMS.length).map(({ label, gpu }) => row(label, gpu)),
      row("histogram, CPU", sort.cpu),
      row("update", update.gpu),
      row("update, CPU", update.cpu),
      row("step, sort", (distribution) => found.gpu({ cells: size, distribution }, "fft", "sort")?.step.best),
    ];
  };
  return table({
    title: `Time for the uniform distribution over that for a concentrated one, NGP${cells === undefined ? "" : `, ${cube(cells)}`} (section 3.4)`,
    over: CONCENTRATED,
    name: (other) => `over ${NAMES[other]}`,
    along: "across",
    quantities: cells === undefined ? [] : rows(cells),
    note: "The paper, without numbers: by sorting it hardly matters; the CPU's and the host's histogram are slower for the uniform one, and so is the CPU's update.",
  });
}

/** Whether the three histograms give the same energies, to the last bit. */
function histogramRemark(found: Found, settings: SuiteSettings): string[] {
  const cells = sizes(settings).energyOfHistograms;
  const all = spotsOf([cells]).flatMap((spot) =>
    SOLVERS.map((solver) =>
      HISTOGRAMS.map((histogram) => found.energyError(spot, solver, { scheme: "paper", histogram })),
    ),
  );
  const measured = all.filter((errors) => !errors.includes(undefined));
  if (measured.length === 0) return [];
  const same = measured.every((errors) => errors.every((error) => error === errors[0]));
  return [
    same
      ? `Energy with the three histograms at ${cube(cells)} is the same to the last bit: masses are summed as integers.`
      : `Energy differs between the three histograms at ${cube(cells)}, where the same bits were expected.`,
  ];
}

const REMARKS = [
  "The speed-up is over this machine’s CPU with a float64 pipeline in one thread of JavaScript, the paper’s over float32 C on one core of 2008. On an adapter that is itself a driver on the CPU, it compares two programs on the same processor.",
  "The paper’s figures 2, 3 and 4 are plots; of them only what the text says in numbers is set beside ours.",
  "The energy error over a time unit is the mesh’s, not the step’s: a quarter of the step hardly changes it. It falls with the size of a cell, and from nearest grid point to cloud in cell.",
  "The paper timed a thousand runs of each stage; here the fastest of a few repetitions counts, after a warm-up: of a step, and of each stage. The host’s deposit is what the other stages leave of a step.",
];

function present(results: Results, settings: SuiteSettings): Presentation {
  const found = new Found(results);
  return {
    tables: [
      stageTable(found, settings),
      ...SOLVERS.map((solver) => stepTable(found, settings, solver)),
      energyTable(found, settings),
      distributionTable(found, settings),
      turnsTable(found, settings),
    ],
    plots: [
      stepPlot(found, settings, "fft"),
      stepPlot(found, settings, "multigrid"),
      ...stagePlots(found, settings),
      energyPlot(found, settings),
    ],
    published: published(found, settings),
    remarks: [...REMARKS, ...histogramRemark(found, settings)],
  };
}

export const suite: Suite = {
  id: "aubert2009",
  title: "A particle-mesh step on a GPU, stage by stage",
  paper: "D. Aubert, M. Amini & R. David 2009, ICCS 2009, Part I, LNCS 5544, 874–883",
  hardware: "a GeForce 8800 GTX, against float32 C on one core of a 2.2 GHz Opteron",
  about:
    "n³ particles on n³ cells in a periodic box, nearest-grid-point assignment, one leapfrog step: a Plummer sphere, an " +
    "exponential disk and a uniform random box. Histograms: by sorting (the paper’s full GPU), by atomics (which its GPU " +
    "hadn’t), and by the host (its GPU-mixed). Poisson solvers: FFT, multigrid with the paper’s cycle, and with ours. " +
    "The CPU that the speed-up is over is this machine’s, running our float64 pipeline in one thread of JavaScript.",
  measurements,
  present,
};
