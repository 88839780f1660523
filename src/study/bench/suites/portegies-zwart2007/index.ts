/** The suite `portegies-zwart2007`: what it measures, and what is made of the results. */
import { max, mean, min } from "d3-array";
import { exponentText, plainNumber } from "../../../../run/page/numbers.ts";
import { Experiment, type Results, type StudySettings, type Suite } from "../../../spec.ts";
import {
  beside,
  type Maybe,
  type PublishedRow,
  type Quantity,
  quantity,
  ratio,
  rounded,
  together,
  view,
} from "../../../table.ts";
import { ENGINES, type RunPart, type SumEngine } from "../hermite.ts";
import { type Costs, costsOf, NU, QUARTERS, quarterOf, type Run } from "./measure.ts";
import {
  COUNTS,
  HOST,
  PAPER_MACHINES,
  type PaperMachine,
  PRINTED,
  paperBlocks,
  paperMembers,
  paperSeconds,
  paperSpeedUp,
} from "./published.ts";

const NAMES: Record<SumEngine, string> = {
  single: "GPU, single",
  "double-single": "GPU, double-single",
  cpu: "CPU, float64",
};

/** Numbers of particles for the energy against ν (figure 2), and ν from coarse to fine. */
export function energies({ quick }: StudySettings): { counts: readonly number[]; nus: readonly number[] } {
  const all = Array.from({ length: 9 }, (_, k) => 0.1 / 2 ** k);
  return quick ? { counts: [1024], nus: all.filter((_, k) => k % 2 === 0) } : { counts: [1024, 16_384], nus: all };
}

const error = ({ energyError }: RunPart) => `ΔE/E ${exponentText(energyError)}`;

export const COSTS = new Experiment<{ engine: SumEngine }, unknown, Costs>({
  key: ({ engine }) => `costs-${engine}`,
  label: ({ engine }) => `costs of a force and of a particle, ${NAMES[engine]}`,
  run: ({ engine }, context) => costsOf(engine, context),
  brief: ({ pair }) => `${plainNumber(1e9 * pair)} ns an interaction`,
});

export const RUN = new Experiment<Pick<Run, "count" | "engine">, Run, RunPart>({
  key: ({ count, engine }) => `run-${count}-${engine}`,
  label: ({ count, engine }) => `${count} particles from t = 0.25 to 0.5, ${NAMES[engine]}`,
  run: quarterOf,
  brief: (quarter) => `${plainNumber(quarter.seconds)} s, ${error(quarter)}`,
});

export const ENERGY = new Experiment<Pick<Run, "count" | "engine" | "nu">, Run, RunPart>({
  // ν = 0.1/2ᵏ
  key: ({ count, engine, nu }) => `energy-${count}-${engine}-${Math.round(Math.log2(0.1 / nu))}`,
  label: ({ count, engine, nu }) => `${count} particles to t = 0.25, ν = ${plainNumber(nu)}, ${NAMES[engine]}`,
  run: quarterOf,
  brief: error,
});

function measurements(settings: StudySettings) {
  const longest = settings.quick ? 8 : 300; // a run that takes longer is left out [s]
  const { counts, nus } = energies(settings);
  return [
    ...ENGINES.map((engine) => COSTS.of({ engine })),
    ...COUNTS.flatMap((count) => ENGINES.map((engine) => RUN.of({ count, engine, nu: NU, before: 1, longest }))),
    ...counts.flatMap((count) =>
      nus.flatMap((nu) => ENGINES.map((engine) => ENERGY.of({ count, engine, nu, before: 0, longest }))),
    ),
  ];
}

const REMARKS = [
  "Everything runs on the GPU here, nothing is sent or received between blocks. The paper’s GPUs got and returned all particles at every block, which by its model takes most of the 8800GTX’s time, and predicted and corrected on the host.",
  "“Single” sums forces in float32 slices of 128 from differences of float32 positions; positions, velocities and the totals of the slices are pairs of float32. The paper’s GPUs have float32 alone, and its energy error stops near 10⁻⁷ for it.",
  "The smallest step is 2⁻³⁰ of the largest, the paper’s 2⁻²⁶ of the time unit. The first steps are an eighth of its eq. 2 (docs/integrators.md).",
  "The number of blocks lies above the paper’s fit, here as in other codes; their size agrees with its eq. 14.",
  "The host is this machine’s CPU in float64, one thread of JavaScript. The paper’s 131072 to 524288 particles on the 8800GTX are not run, nor is its figure 5, an outlook.",
];

/** The blocks of a time unit and the particles of one on average, from the most precise run that there is. */
function blocksOf(results: Results, count: number) {
  const runs = (["double-single", "cpu", "single"] as const).map((engine) => results.of(RUN, { count, engine }));
  const run = runs.find((one) => one !== undefined);
  return run && { blocks: QUARTERS * run.blocks, members: run.particleSteps / run.blocks };
}

/** A quantity for each engine. */
const ofEngines = <X>(of: (engine: SumEngine) => Quantity<X>["of"], text?: Quantity<X>["text"]): Quantity<X>[] =>
  ENGINES.map((engine) => quantity(NAMES[engine], of(engine), text && { text }));
const ofMachines = (of: (machine: PaperMachine) => Quantity["of"], ours: readonly Quantity[]): Quantity[] =>
  PAPER_MACHINES.map((machine) => {
    const paper = ours.find(({ label }) => label === NAMES[PRINTED[machine].beside])!;
    return quantity(machine, of(machine), { paper });
  });
const oursBeside = (machine: PaperMachine) => `${machine} (ours: ${NAMES[PRINTED[machine].beside]})`;

const size = (value: Maybe) => value && Math.abs(value);
const whole = { text: (value: number) => String(Math.round(value)) };

/** What stands in the paper's text, and table 3. */
function textOf(results: Results, settings: StudySettings) {
  const { counts, nus } = energies(settings);
  const cost = (engine: SumEngine, key: keyof Costs) => results.of(COSTS, { engine })?.[key];
  const [millionth, nano] = [1e-6, 1e-9];
  /** Rows of the machines for which the paper prints it. */
  const rows = (
    label: string,
    unit: number,
    key: "meanError" | "leastError" | "pair",
    ours: (engine: SumEngine) => Maybe,
  ): PublishedRow[] =>
    PAPER_MACHINES.flatMap((machine) => {
      const { [key]: printed, beside: engine } = PRINTED[machine];
      const found = ratio(ours(engine), unit);
      return printed ? [[`${label}, ${oursBeside(machine)}`, rounded(printed / unit), found] as const] : [];
    });
  const meanError = (engine: SumEngine) =>
    mean(COUNTS, (count) => size(results.of(RUN, { count, engine })?.energyError));
  const leastError = (engine: SumEngine) =>
    min(counts, (count) => min(nus, (nu) => size(results.of(ENERGY, { count, engine, nu })?.energyError)));
  const card = PRINTED["8800GTX"];
  return [
    ...beside(
      { where: "sect. 6", unit: "10⁻⁶" },
      rows("mean |ΔE/E| of a quarter, ν = 0.01", millionth, "meanError", meanError),
    ),
    ...beside(
      { where: "fig. 2, sect. 4.2", unit: "10⁻⁶" },
      rows("least |ΔE/E| over ν", millionth, "leastError", leastError),
    ),
    ...beside({ where: "table 3", unit: "ns" }, [
      [
        "a particle predicted and corrected on the host (ours: CPU, float64)",
        rounded(HOST / nano),
        ratio(cost("cpu", "host"), nano),
      ],
      ...rows("force between two particles", nano, "pair", (engine) => cost(engine, "pair")),
      ...(["send", "receive"] as const).map((key): PublishedRow => {
        const label = `${key === "send" ? "sending" : "receiving"} a particle, 8800GTX (ours: not in a run)`;
        return [label, rounded(card[key]! / nano), ratio(cost("single", key), nano)];
      }),
    ]),
  ];
}

function present(results: Results, settings: StudySettings) {
  const { counts, nus } = energies(settings);
  const run = (engine: SumEngine) => (count: number) => results.of(RUN, { count, engine });
  const seconds = (engine: SumEngine) => (count: number) => run(engine)(count)?.seconds;
  const speedUp = (engine: SumEngine) => (count: number) => ratio(seconds("cpu")(count), seconds(engine)(count));
  const energy = (engine: SumEngine, count: number, nu: number) =>
    results.of(ENERGY, { count, engine, nu })?.energyError;
  const blocks = (count: number) => blocksOf(results, count)?.blocks;
  const members = (count: number) => blocksOf(results, count)?.members;

  const times = ofEngines(seconds);
  const speedUps = ofEngines(speedUp).slice(0, -1);
  const [made, held] = [quantity("blocks", blocks, whole), quantity("mean block", members)];
  const byCount = { over: COUNTS, corner: "N" };
  const views = together([
    view({
      title: "A quarter of a time unit",
      ...{ ...byCount, unit: "s", where: "table 2" },
      quantities: [...times, ...ofMachines(paperSeconds, times)],
      note: "The last four columns are the paper’s.",
      published: (count, _, { label }) => `quarter time unit, ${count}, ${oursBeside(label as PaperMachine)}`,
    }),
    view({
      title: "Blocks of a time unit, and particles of a block on average",
      ...{ ...byCount, where: "eqs. 17 and 14" },
      quantities: [
        made,
        quantity("eq. 17", paperBlocks, { ...whole, paper: made }),
        quantity("ratio", (count) => ratio(blocks(count), paperBlocks(count))),
        held,
        quantity("eq. 14", paperMembers, { paper: held }),
        quantity("ratio", (count) => ratio(members(count), paperMembers(count))),
      ],
      note: "Four times the blocks of the measured quarter.",
      published: (count, ours) => `${ours === held ? "mean block" : "blocks of a time unit"}, ${count}`,
    }),
    view({
      title: "|ΔE/E| over a quarter, ν = 0.01",
      ...{ ...byCount, where: "section 6" },
      quantities: ofEngines<number>((engine) => (count) => size(run(engine)(count)?.energyError), exponentText),
    }),
    ...counts.map((count) =>
      view({
        title: `|ΔE/E| over the first quarter, against ν, ${count} particles`,
        ...{ where: "figure 2", over: nus, corner: "ν", name: plainNumber },
        quantities: [
          ...ofEngines<number>((engine) => (nu) => size(energy(engine, count, nu)), exponentText),
          {
            label: "blocks",
            of: (nu) => ENGINES.map((engine) => results.of(ENERGY, { engine, count, nu })).find((one) => one)?.blocks,
            text: String,
          },
        ],
        note: "The paper’s figure is a plot; its text gives what its processors come down to.",
      }),
    ),
    view({
      title: "Speed-up over the CPU",
      ...{ ...byCount, where: "figure 4" },
      quantities: [
        ...speedUps,
        ...ofMachines(paperSpeedUp, speedUps)
          .slice(0, -1)
          .map((one) => (one.label === "8800GTX" ? one : { ...one, paper: true as const })),
      ],
      note: "The paper’s, over one of its Xeons, from its table 2.",
      published: (count) => `speed-up over the host, ${count}, ${oursBeside("8800GTX")}`,
    }),
  ]);
  const comparison = [
    ...views.comparison,
    ...textOf(results, settings),
    ...beside({ where: "sect. 5.4" }, [
      [
        "speed-up over the host for many particles, 8800GTX (ours: the largest)",
        { atLeast: 10 },
        max(COUNTS, speedUp("single")),
      ],
    ]),
  ];
  return { ...views, comparison, remarks: REMARKS };
}

export const suite: Suite = {
  id: "portegies-zwart2007",
  title: "Star clusters with block time steps",
  paper: "S. F. Portegies Zwart, R. G. Belleman & P. M. Geldof 2007, New Astronomy 12, 641–650",
  hardware: "a GRAPE-6Af, a GeForce 8800GTX, a Quadro FX1400 and a 3.4 GHz Xeon, which also hosted them",
  about:
    "Plummer spheres of equal masses, scaled to virial equilibrium; Hermite’s fourth-order scheme with block steps, softening " +
    "1/256, ν = 0.01, largest step 1/8, timed from t = 0.25 to 0.5. Blocks against the paper’s fits, energy against ν, and " +
    "what a force and a particle cost.",
  measurements,
  present,
};
