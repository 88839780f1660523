/** The suite `aubert2009`, after Aubert, Amini & David (2009), section 3. */
import { exponentText, milliseconds } from "../../../../run/page/numbers.ts";
import type { Results, StudySettings, Suite } from "../../../spec.ts";
import { type Quantity, quantity, together, type Views, view } from "../../../table.ts";
import {
  cube,
  DISTRIBUTIONS,
  Found,
  HISTOGRAM_NAMES,
  HISTOGRAMS,
  type Histogram,
  measurements,
  NAMES,
  SCHEMES,
  SOLVER_KINDS,
  SOLVERS,
  type Solver,
  type Spot,
  type Stage,
  sizes,
} from "./measure.ts";
import { published } from "./published.ts";

const spotName = ({ cells, distribution }: Spot) => `${cube(cells)} ${NAMES[distribution]}`;
const spotsOf = (list: readonly number[]): Spot[] =>
  list.flatMap((cells) => DISTRIBUTIONS.map((distribution) => ({ cells, distribution })));

/** A time [ms]. */
const time = <X>(label: string, of: Quantity<X>["of"]) => quantity(label, of, { text: milliseconds });

/** Figure 3: time per stage. */
function stageTable(found: Found, settings: StudySettings): Views {
  type Row = Spot & { on: "GPU" | "CPU" };
  const stage = (row: Row, name: Stage, solver: Solver = "fft", histogram: Histogram = "sort") =>
    (row.on === "GPU" ? found.gpu(row, solver, histogram) : found.cpu(row, solver))?.stages[name];
  return view<Row>({
    title: "Time per stage of a step",
    ...{ unit: "ms", where: "figure 3" },
    over: spotsOf(sizes(settings).gpu).flatMap((spot) => (["GPU", "CPU"] as const).map((on) => ({ ...spot, on }))),
    name: (row) => (row.on === "GPU" ? `${spotName(row)}, GPU` : "  CPU"),
    quantities: [
      time("order", (row) => stage(row, "order")),
      ...HISTOGRAMS.map((one, i) =>
        time<Row>(`${i === 0 ? "deposit, " : ""}${HISTOGRAM_NAMES[one]}`, (row) =>
          row.on === "CPU" && one !== "sort" ? undefined : stage(row, "deposit", "fft", one),
        ),
      ),
      ...SOLVER_KINDS.map((solver) => time<Row>(SOLVERS[solver].short, (row) => stage(row, "poisson", solver))),
      time("gradient", (row) => stage(row, "gradient")),
      time("update", (row) => stage(row, "update")),
    ],
    note: "GPU: the adapter above. Ordering by cell is part of the histogram by sorting; with the others it only serves the interpolation.",
  });
}

/** Figure 2: a step and its speed-up. */
function stepTable(found: Found, settings: StudySettings, solver: Solver): Views {
  return view<Spot>({
    title: `A step with ${SOLVERS[solver].name} [ms], and its speed-up over the CPU`,
    ...{ where: "figure 2", over: spotsOf(sizes(settings).gpu), name: spotName },
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

/** Section 3.1. */
function energyTable(found: Found, settings: StudySettings): Views {
  return view<Spot>({
    title: "ΔE/E over a time unit",
    ...{ where: "section 3.1", over: spotsOf(sizes(settings).energy), name: spotName },
    quantities: (["paper", "deck"] as const).flatMap((scheme) =>
      SOLVER_KINDS.map((solver) => {
        const label = `${solver === "fft" ? `${SCHEMES[scheme].name}: ` : ""}${SOLVERS[solver].short}`;
        return quantity<Spot>(label, (spot) => found.energyError(spot, solver, scheme), { text: exponentText });
      }),
    ),
    note: "NGP: the paper's scheme, periodic, histogram by sorting. CIC: what a deck runs with, in its own box, isolated for sphere and disk.",
  });
}

const REMARKS = [
  "The speed-up is over this machine’s CPU with a float64 pipeline in one thread of JavaScript, the paper’s over float32 C on one core of 2008. On an adapter that is itself a driver on the CPU, it compares two programs on the same processor.",
  "Of the paper’s plots, figures 2 to 4, only what the text says in numbers is set beside ours.",
  "The energy error over a time unit is the mesh’s, not the step’s: it falls with the size of a cell, and from nearest grid point to cloud in cell.",
  "The fastest of a few repetitions counts, of a step and of each stage; the paper timed a thousand. The host’s deposit is what the other stages leave of a step.",
];

function present(results: Results, settings: StudySettings) {
  const found = new Found(results);
  const views = together([
    stageTable(found, settings),
    ...SOLVER_KINDS.map((solver) => stepTable(found, settings, solver)),
    energyTable(found, settings),
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
    "hadn’t), and by the host (its GPU-mixed). Poisson solvers: FFT, multigrid with the paper’s cycle, and with ours.",
  measurements,
  present,
};
