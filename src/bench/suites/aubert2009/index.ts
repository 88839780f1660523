/** The suite `aubert2009`, after Aubert, Amini & David (2009), section 3. */
import { exponential, milliseconds } from "../../../page/numbers.ts";
import type { Quantity, Results, Suite, SuiteSettings, Views } from "../spec.ts";
import { log, pointsOf, quantity, ratio, together, view } from "../spec.ts";
import {
  CONCENTRATED,
  Found,
  gainOf,
  HISTOGRAM_NAMES,
  type OfDistribution,
  SCHEMES,
  SHORT_NAMES,
  type Spot,
  type StageTimes,
} from "./found.ts";
import {
  cube,
  DISTRIBUTIONS,
  type Distribution,
  HISTOGRAMS,
  type Histogram,
  measurements,
  NAMES,
  SOLVER_NAMES,
  SOLVERS,
  type Solver,
  type Stage,
  sizes,
} from "./measure.ts";
import { LARGE, published, STAGE_GAINS, STEP_GAINS } from "./published.ts";

const spotName = ({ cells, distribution }: Spot) => `${cube(cells)} ${NAMES[distribution]}`;
const spotsOf = (list: readonly number[]): Spot[] =>
  list.flatMap((cells) => DISTRIBUTIONS.map((distribution) => ({ cells, distribution })));

/** A time [ms]. */
const time = <X>(label: string, of: Quantity<X>["of"]) => quantity(label, of, { text: milliseconds });

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
      ...SOLVERS.map((solver) => time<Row>(SHORT_NAMES[solver], (row) => stage(row, "poisson", solver))),
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

/** Figure 4, at the largest size that both were measured at. */
function gainPlot(found: Found, settings: SuiteSettings): Views[] {
  const cells = sizes(settings).cpu.findLast((size) =>
    DISTRIBUTIONS.some((distribution) => found.speedUp({ cells: size, distribution }, "fft", "sort")),
  );
  if (cells === undefined) return [];
  const over = found.stages(cells);
  const at = (stage: StageTimes) => over.indexOf(stage) + 1;
  const ends = (label: string) => (cells === LARGE || !label.startsWith("histogram") ? STAGE_GAINS[label] : undefined);
  const paper = [0, 1].flatMap((end) => pointsOf(over, ({ label }) => [ends(label) ?? []].flat()[end], at));
  return [
    view<StageTimes>({
      title: `Speed-up per stage, ${cube(cells)}`,
      ...{ where: "figure 4", over, table: false },
      quantities: DISTRIBUTIONS.map((one) =>
        quantity("ours", (stage) => gainOf(stage)(one), { look: { marks: true, colour: 0 } }),
      ),
      plot: {
        ...{ x: { label: "", ticks: STAGE_TICKS.map((text, i) => ({ at: i + 1, text })) }, y: log("CPU / GPU"), at },
        more: [{ label: "paper, 128³", paper: true, points: paper }],
        rules: [{ at: 1 }],
      },
      note: "A mark a distribution. Histogram by sorting, by atomics, by the host; Poisson by FFT, by the paper's multigrid (MG), by ours. Of the paper, what its text gives.",
    }),
  ];
}

/** Section 3.1. */
function energyTable(found: Found, settings: SuiteSettings): Views {
  return view<Spot>({
    title: "ΔE/E over a time unit",
    ...{ where: "section 3.1", over: spotsOf(sizes(settings).energy), table: { name: spotName } },
    quantities: (["paper", "deck"] as const).flatMap((scheme) =>
      SOLVERS.map((solver) => {
        const label = `${solver === "fft" ? `${SCHEMES[scheme].name}: ` : ""}${SHORT_NAMES[solver]}`;
        return quantity<Spot>(label, (spot) => found.energyError(spot, solver, scheme), { text: exponential });
      }),
    ),
    note: "NGP: the paper's scheme, periodic, histogram by sorting. CIC: what a deck runs with, in its own box, isolated for sphere and disk.",
  });
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

const REMARKS = [
  "The speed-up is over this machine’s CPU with a float64 pipeline in one thread of JavaScript, the paper’s over float32 C on one core of 2008. On an adapter that is itself a driver on the CPU, it compares two programs on the same processor.",
  "The paper’s figures 2, 3 and 4 are plots; of them only what the text says in numbers is set beside ours.",
  "The energy error over a time unit is the mesh’s, not the step’s: a quarter of the step hardly changes it. It falls with the size of a cell, and from nearest grid point to cloud in cell.",
  "The paper timed a thousand runs of each stage; here the fastest of a few repetitions counts, after a warm-up: of a step, and of each stage. The host’s deposit is what the other stages leave of a step.",
];

function present(results: Results, settings: SuiteSettings) {
  const found = new Found(results);
  const views = together([
    stageTable(found, settings),
    ...SOLVERS.map((solver) => stepTable(found, settings, solver)),
    stepPlot(found, settings, "fft"),
    stepPlot(found, settings, "multigrid"),
    ...gainPlot(found, settings),
    energyTable(found, settings),
    distributionTable(found, settings),
  ]);
  return { ...views, comparison: published(found, settings), remarks: REMARKS };
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
