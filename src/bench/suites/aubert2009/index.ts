/** The suite `aubert2009`, after Aubert, Amini & David (2009), section 3. */
import { exponential, milliseconds } from "../../../page/numbers.ts";
import type { Presentation, Quantity, Results, Suite, SuiteSettings, Views } from "../spec.ts";
import { log, pointsOf, quantity, ratio, together, view } from "../spec.ts";
import { cube, measurements, NAMES, SOLVER_NAMES, sizes } from "./experiments.ts";
import { CONCENTRATED, Found, gainOf, HISTOGRAM_NAMES, type OfDistribution, SCHEMES, type Spot } from "./found.ts";
import {
  DISTRIBUTIONS,
  type Distribution,
  HISTOGRAMS,
  type Histogram,
  SOLVERS,
  type Solver,
  type Stage,
} from "./measure.ts";
import { ENERGY_BOUND, LARGE, published, STAGE_GAINS, STEP_GAINS } from "./published.ts";

const spotName = ({ cells, distribution }: Spot) => `${cube(cells)} ${NAMES[distribution]}`;
const spotsOf = (list: readonly number[]): Spot[] =>
  list.flatMap((cells) => DISTRIBUTIONS.map((distribution) => ({ cells, distribution })));

/** Heads of columns. */
const HEADS: Record<Solver, string> = { fft: "FFT", multigrid: "multigrid", "multigrid-default": "ours" };

/** A time [ms]. */
const time = <X>(label: string, of: Quantity<X>["of"]) => quantity(label, of, { text: milliseconds });
/** An axis of names; marks stand at 1, 2, … */
const named = (names: readonly string[]) => ({ label: "", ticks: names.map((text, i) => ({ at: i + 1, text })) });

/** Figure 3: time per stage. */
function stageTable(found: Found, settings: SuiteSettings): Views {
  type Row = Spot & { on: "GPU" | "CPU" };
  const stage = (row: Row, name: Stage, solver: Solver = "fft", histogram: Histogram = "sort") =>
    (row.on === "GPU" ? found.gpu(row, solver, histogram) : found.cpu(row, solver))?.stages[name];
  return view<Row>({
    title: "Time per stage of a step",
    ...{ unit: "ms", where: "figure 3" },
    over: spotsOf(sizes(settings).gpu).flatMap((spot) => (["GPU", "CPU"] as const).map((on) => ({ ...spot, on }))),
    table: { name: (row) => (row.on === "GPU" ? `${spotName(row)}, GPU` : "  CPU") },
    quantities: [
      time("order", (row) => stage(row, "order")),
      ...HISTOGRAMS.map((one, i) =>
        time<Row>(`${i === 0 ? "deposit, " : ""}${HISTOGRAM_NAMES[one]}`, (row) =>
          row.on === "CPU" && one !== "sort" ? undefined : stage(row, "deposit", "fft", one),
        ),
      ),
      ...SOLVERS.map((solver) => time<Row>(HEADS[solver], (row) => stage(row, "poisson", solver))),
      time("gradient", (row) => stage(row, "gradient")),
      time("update", (row) => stage(row, "update")),
    ],
    note: "GPU: the adapter above. Ordering by cell is part of the histogram by sorting; with the others it only serves the interpolation.",
  });
}

/** Figure 2: a step and its speed-up. */
function stepTable(found: Found, settings: SuiteSettings, solver: Solver): Views {
  return view<Spot>({
    title: `A step with ${SOLVER_NAMES[solver]} [ms], and its speed-up over the CPU`,
    ...{ where: "figure 2", over: spotsOf(sizes(settings).gpu), table: { name: spotName } },
    quantities: [
      ...HISTOGRAMS.map((one) => time<Spot>(HISTOGRAM_NAMES[one], (spot) => found.gpu(spot, solver, one)?.step.best)),
      time("CPU", (spot) => found.cpu(spot, solver)?.step.best),
      ...HISTOGRAMS.map((one, i) => {
        const label = `${i === 0 ? "speed-up: " : ""}${HISTOGRAM_NAMES[one]}`;
        return quantity<Spot>(label, (spot) => found.speedUp(spot, solver, one));
      }),
    ],
  });
}

/** Figure 2: the speed-up against the number of cells, a curve a distribution. */
function stepPlot(found: Found, settings: SuiteSettings, solver: "fft" | "multigrid"): Views {
  const over = sizes(settings).cpu;
  return view({
    title: `Speed-up of a step, ${SOLVER_NAMES[solver]}`,
    ...{ where: "figure 2", table: false, over },
    quantities: HISTOGRAMS.flatMap((one, colour) =>
      DISTRIBUTIONS.map((distribution) => {
        const of = (cells: number) => found.speedUp({ cells, distribution }, solver, one);
        return quantity(HISTOGRAM_NAMES[one], of, { look: { colour } });
      }),
    ),
    plot: {
      ...{ x: { ...log("cells"), ticks: over.map((at) => ({ at, text: cube(at) })) }, y: log("CPU / GPU") },
      more: (["sort", "host"] as const).map((one) => ({
        label: `paper, ${one === "sort" ? "full GPU" : "GPU mixed"}`,
        ...{ paper: true, colour: HISTOGRAMS.indexOf(one), points: STEP_GAINS[solver][one] },
      })),
      rules: [{ at: 1 }],
    },
    note: `A curve a distribution. Of the paper, what its text gives${solver === "fft" ? "" : "; at every size it is at least 10"}.`,
  });
}

/** Names of the stages where there is little room. */
const STAGE_TICKS = ["sort", "atomics", "host", "FFT", "MG", "our MG", "grad.", "update"];

/** Figures 3 and 4, at the largest size that both were measured at. */
function stagePlots(found: Found, settings: SuiteSettings): Views[] {
  const cells = sizes(settings).cpu.findLast((size) =>
    DISTRIBUTIONS.some((distribution) => found.speedUp({ cells: size, distribution }, "fft", "sort")),
  );
  if (cells === undefined) return [];
  const over = found.stages(cells);
  const at = (stage: (typeof over)[number]) => over.indexOf(stage) + 1;
  const marks = (label: string, colour: number, of: (stage: (typeof over)[number]) => OfDistribution) =>
    DISTRIBUTIONS.map((one) =>
      quantity(label, (stage: (typeof over)[number]) => of(stage)(one), { look: { marks: true, colour } }),
    );
  const both = { over, table: false as const };
  const x = named(STAGE_TICKS);
  const note =
    "A mark a distribution. Histogram by sorting, by atomics, by the host; Poisson by FFT, by the paper's multigrid (MG), by ours.";
  const ends = (label: string) => (cells === LARGE || !label.startsWith("histogram") ? STAGE_GAINS[label] : undefined);
  const paper = [0, 1].flatMap((end) => pointsOf(over, ({ label }) => [ends(label) ?? []].flat()[end], at));
  return [
    view({
      title: `Time per stage of a step, ${cube(cells)}`,
      ...{ ...both, where: "figure 3", note: `${note} The paper's figure has no numbers in its text.` },
      quantities: [...marks("GPU", 0, ({ gpu }) => gpu), ...marks("CPU, float64, one thread", 1, ({ cpu }) => cpu)],
      plot: { x, y: log("[ms]"), at },
    }),
    view({
      title: `Speed-up per stage, ${cube(cells)}`,
      ...{ ...both, where: "figure 4", note: `${note} Of the paper, what its text gives.` },
      quantities: marks("ours", 0, gainOf),
      plot: {
        x,
        y: log("CPU / GPU"),
        at,
        more: [{ label: "paper, 128³", paper: true, points: paper }],
        rules: [{ at: 1 }],
      },
    }),
  ];
}

/** Section 3.1. */
function energies(found: Found, settings: SuiteSettings): Views[] {
  const schemes = Object.keys(SCHEMES) as (keyof typeof SCHEMES)[];
  const columns = <X>(of: (solver: Solver, scheme: keyof typeof SCHEMES) => Quantity<X>) =>
    schemes.flatMap((scheme) => SOLVERS.map((solver) => of(solver, scheme)));
  const cells = Math.max(...sizes(settings).energy);
  return [
    view<Spot>({
      title: "ΔE/E over a time unit",
      ...{ where: "section 3.1", over: spotsOf(sizes(settings).energy), table: { name: spotName } },
      quantities: columns((solver, scheme) => {
        const label = `${solver === "fft" ? `${SCHEMES[scheme].name}: ` : ""}${HEADS[solver]}`;
        return quantity(label, (spot) => found.energyError(spot, solver, scheme), { text: exponential });
      }),
      note: "NGP: the paper's scheme, periodic, histogram by sorting. CIC: what a deck runs with, in its own box, isolated for sphere and disk.",
    }),
    view({
      title: `Energy error over a time unit, ${cube(cells)}`,
      ...{ where: "section 3.1", over: DISTRIBUTIONS, table: false },
      quantities: columns((solver, scheme) => {
        const size = (distribution: Distribution) => {
          const error = found.energyError({ cells, distribution }, solver, scheme);
          return error && Math.abs(error);
        };
        return quantity(`${SCHEMES[scheme].name}, ${HEADS[solver]}`, size, { look: { marks: true } });
      }),
      plot: {
        ...{ x: named(DISTRIBUTIONS.map((one) => NAMES[one])), y: log("|ΔE/E|") },
        at: (distribution) => DISTRIBUTIONS.indexOf(distribution) + 1,
        rules: [{ at: ENERGY_BOUND, label: "the bound that the paper sets itself" }],
      },
    }),
  ];
}

/** Section 3.4: what the particles' distribution does to each stage that works on particles. */
function distributionTable(found: Found, settings: SuiteSettings): Views {
  const cells = sizes(settings).gpu.findLast((size) =>
    DISTRIBUTIONS.every((distribution) => found.gpu({ cells: size, distribution }, "fft", "sort")),
  );
  const row = (label: string, of: OfDistribution) =>
    quantity<Distribution>(label, (other) => ratio(of("uniform"), of(other)));
  const rows = (size: number) => {
    const stages = found.stages(size);
    const update = found.stage(size, "update");
    return [
      ...stages.slice(0, HISTOGRAMS.length).map(({ label, gpu }) => row(label, gpu)),
      row("histogram, CPU", stages[0].cpu),
      row("update", update.gpu),
      row("update, CPU", update.cpu),
      row("step, sort", (distribution) => found.gpu({ cells: size, distribution }, "fft", "sort")?.step.best),
    ];
  };
  return view({
    title: `Time for the uniform distribution over that for a concentrated one, NGP${cells === undefined ? "" : `, ${cube(cells)}`}`,
    ...{ where: "section 3.4", over: CONCENTRATED as readonly Distribution[] },
    table: { name: (other) => `over ${NAMES[other]}`, across: true },
    quantities: cells === undefined ? [] : rows(cells),
    note: "The paper, without numbers: by sorting it hardly matters; the CPU's and the host's histogram are slower for the uniform one, and so is the CPU's update.",
  });
}

/** Whether the three histograms give the same energies, to the last bit. */
function histogramRemark(found: Found, settings: SuiteSettings): string[] {
  const cells = sizes(settings).energyOfHistograms;
  const all = spotsOf([cells]).flatMap((spot) =>
    SOLVERS.map((solver) => HISTOGRAMS.map((histogram) => found.energyError(spot, solver, "paper", histogram))),
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
  const views = together([
    stageTable(found, settings),
    ...SOLVERS.map((solver) => stepTable(found, settings, solver)),
    stepPlot(found, settings, "fft"),
    stepPlot(found, settings, "multigrid"),
    ...stagePlots(found, settings),
    ...energies(found, settings),
    distributionTable(found, settings),
  ]);
  const remarks = [...REMARKS, ...histogramRemark(found, settings)];
  return { ...views, comparison: published(found, settings), remarks };
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
