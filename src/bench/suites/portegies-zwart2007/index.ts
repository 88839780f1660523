import type { ChartAxis } from "../../../page/axes.ts";
import { ENGINES, type Engine } from "../hermite.ts";
import type { Maybe, Presentation, Quantity, Results, Suite, SuiteSettings } from "../spec.ts";
import { among, beside, largest, least, lines, quantity, ratio, table } from "../spec.ts";
import { figure } from "../text.ts";
import { QUARTERS } from "./measure.ts";
import { type MeasuredCosts, paperCosts, unitSeconds } from "./model.ts";
import type { PaperMachine } from "./published.ts";
import {
  COUNTS,
  LEAST_ERRORS,
  MEAN_ERRORS,
  PAPER_MACHINES,
  paperBlocks,
  paperMembers,
  paperSeconds,
  speedUp as paperSpeedUp,
  TABLE_3,
  TABLE_3_HOST,
} from "./published.ts";
import { blocksOf, COSTS, ENERGY, energies, measurements, NAMES, predicted, RUN } from "./quantities.ts";

/** What of ours stands beside a machine of theirs: GPUs beside single precision, GRAPE beside pairs, hosts beside hosts. */
const BESIDE: Record<PaperMachine, Engine> = {
  "GRAPE-6Af": "double-single",
  "8800GTX": "single",
  FX1400: "single",
  Xeon: "cpu",
};
const oursBeside = (machine: PaperMachine) => `(ours: ${NAMES[BESIDE[machine]]})`;

const N: ChartAxis = {
  label: "particles",
  scale: "log",
  ticks: [256, 1024, 4096, 16_384, 65_536].map((at) => ({ at, text: String(at) })),
};
const TIME: ChartAxis = { label: "time of a time unit [s]", scale: "log" };
const inSize = (value: number) => Math.abs(value).toExponential(1);
const times =
  (factor: number, of: (count: number) => Maybe) =>
  (count: number): Maybe => {
    const value = of(count);
    return value && factor * value;
  };

/** A quantity for each engine, or for each machine of the paper. */
const ofEngines = <X>(of: (engine: Engine) => Quantity<X>["of"], engines: readonly Engine[] = ENGINES) =>
  engines.map((engine) => quantity(NAMES[engine], of(engine), { look: { colour: ENGINES.indexOf(engine) } }));
const ofMachines = (
  of: (machine: PaperMachine) => Quantity["of"],
  machines: readonly PaperMachine[] = PAPER_MACHINES,
) =>
  machines.map((machine) => {
    const colour = ENGINES.length + PAPER_MACHINES.indexOf(machine);
    return quantity(machine, of(machine), { paper: true, look: { colour } });
  });
const inLegend = (quantities: Quantity[]) => quantities.map((one) => ({ ...one, label: `${one.label}, paper` }));

/** What the model is made of, by engines and machines: table 3. */
function costTable(results: Results) {
  type Column = Engine | PaperMachine;
  const nano = (seconds: number) => figure(1e9 * seconds);
  const row = (
    label: string,
    ours: (costs: MeasuredCosts) => Maybe,
    paper: (machine: PaperMachine) => Maybe = () => undefined,
  ): Quantity<Column> => ({
    label,
    of: (column) => {
      const engine = ENGINES.find((one) => one === column);
      if (engine === undefined) return paper(column as PaperMachine);
      const one = results.of(COSTS, { engine });
      return one && ours(one);
    },
    text: nano,
  });
  const few = ({ loops }: MeasuredCosts) => loops[0];
  const many = ({ loops }: MeasuredCosts) => loops[loops.length - 1];
  const both = (label: string, key: "pair" | "send" | "receive") => {
    const printed = (machine: PaperMachine) => TABLE_3[machine][key];
    return row(label, (one) => one[key], printed);
  };
  const rows = [
    row("a block, few particles", (one) => few(one).block),
    row("a block, many particles", (one) => many(one).block),
    row("predicting a particle, few", (one) => few(one).predict),
    row("predicting a particle, many", (one) => many(one).predict),
    row("correcting a particle", ({ correct }) => correct),
    quantity<Column>("both, on the host", (column) => (column in NAMES ? undefined : TABLE_3_HOST), { text: nano }),
    both("a force between two", "pair"),
    both("sending a particle", "send"),
    both("receiving a particle", "receive"),
  ];
  const measured = ENGINES.flatMap((engine) => results.of(COSTS, { engine }) ?? []);
  const upTo = measured.map((one) => few(one).upTo).find((one) => one !== undefined);
  const limit = upTo === undefined ? "" : ` Few are up to ${upTo}, which one workgroup predicts and corrects.`;
  return table<Column>({
    title: "What the model is made of [ns] (table 3)",
    over: [...ENGINES, ...PAPER_MACHINES],
    name: (column) => (column in NAMES ? NAMES[column as Engine] : column),
    along: "across",
    quantities: measured.length === 0 ? [] : rows,
    note: `The last four columns are the paper’s. Ours sends and receives nothing between blocks; a block has a cost of its own.${limit}`,
  });
}

const REMARKS = [
  "Everything runs on the GPU here: prediction, forces, correction and the choice of steps; between blocks nothing is sent or received. The paper’s GPUs got and returned all particles at every block, which by its model takes most of the 8800GTX’s time at all these sizes, and predicted and corrected on the host: its figure 5 asks what it would be without.",
  "“Single” means that forces are summed in float32 slices of 128 from differences of float32 positions; positions and velocities are pairs of float32 in both precisions, and so are the totals of the slices. The paper’s GPUs know positions and sum forces in float32 alone, and its energy error stops near 10⁻⁷ for it.",
  "The smallest step is 2⁻³⁰ of the largest, the paper’s 2⁻²⁶ of the time unit. The first steps are an eighth of its eq. 2 (docs/integrators.md).",
  "The number of blocks lies above the paper’s fit, here as in other codes; their size agrees with its eq. 14.",
  "The host is this machine’s CPU in float64, one thread of JavaScript. The paper’s 131072 to 524288 particles on the 8800GTX are not run, nor is its figure 5, an outlook.",
];

function present(results: Results, settings: SuiteSettings): Presentation {
  const run = (engine: Engine) => (count: number) => results.of(RUN, { count, engine });
  const seconds = (engine: Engine) => (count: number) => run(engine)(count)?.seconds;
  const errorOf = (engine: Engine) => (count: number) => run(engine)(count)?.energyError;
  const speedUp = (engine: Engine) => (count: number) => ratio(seconds("cpu")(count), seconds(engine)(count));
  const blocks = (count: number) => blocksOf(results, count)?.blocks;
  const members = (count: number) => blocksOf(results, count)?.members;
  const energy = (engine: Engine, count: number, nu: number) => results.of(ENERGY, { count, engine, nu })?.energyError;
  const overRun = (engine: Engine, how: "measured" | "fits") => (count: number) =>
    ratio(predicted(results, count, engine, how), seconds(engine)(count));
  const { counts, nus } = energies(settings);
  const gpus = ENGINES.filter((engine) => engine !== "cpu");
  const accelerators = PAPER_MACHINES.filter((machine) => machine !== "Xeon");
  const priced = ENGINES.filter((engine) => results.of(COSTS, { engine }));
  const ran = COUNTS.filter((count) => blocksOf(results, count));
  const whole = (value: number) => value.toFixed(0);
  const byCount = { corner: "N", over: ran };

  const tables = [
    table({
      title: "A quarter of a time unit [s] (table 2)",
      ...byCount,
      quantities: [...ofEngines(seconds), ...ofMachines(paperSeconds)],
      note: "The last four columns are the paper’s.",
    }),
    table({
      title: "Blocks of a time unit, and particles of a block on average (eqs. 17 and 14)",
      ...byCount,
      quantities: [
        quantity("blocks", blocks, { text: whole }),
        quantity("eq. 17", paperBlocks, { text: whole }),
        quantity("ratio", (count) => ratio(blocks(count), paperBlocks(count))),
        quantity("mean block", members),
        quantity("eq. 14", paperMembers),
        quantity("ratio", (count) => ratio(members(count), paperMembers(count))),
      ],
      note: "Four times the blocks of the measured quarter.",
    }),
    table({
      title: "|ΔE/E| over a quarter, ν = 0.01",
      ...byCount,
      quantities: ofEngines(errorOf).map((one) => ({ ...one, text: inSize })),
    }),
    table({
      title: "|ΔE/E| over the first quarter, against ν (figure 2)",
      corner: "N, ν",
      over: counts.flatMap((count) => nus.map((nu) => ({ count, nu }))),
      name: ({ count, nu }) => `${count}, ${figure(nu)}`,
      quantities: [
        ...ofEngines<{ count: number; nu: number }>(
          (engine) =>
            ({ count, nu }) =>
              energy(engine, count, nu),
        ).map((one) => ({ ...one, text: inSize })),
        {
          label: "blocks",
          of: (one) => ENGINES.map((engine) => results.of(ENERGY, { engine, ...one })).find((found) => found)?.blocks,
          text: String,
        },
      ],
    }),
    costTable(results),
    table({
      title: "The model’s prediction over the measured time (figure 3)",
      ...{ corner: "N", over: priced.length === 0 ? [] : ran, whole: true },
      quantities: priced.flatMap((engine) => [
        { label: NAMES[engine], of: overRun(engine, "measured") },
        { label: "with eqs. 14, 17", of: overRun(engine, "fits") },
      ]),
      note: "With the blocks of the run, and with the paper’s fits for their number and size.",
    }),
    table({
      title: "Speed-up over the CPU (figure 4)",
      ...{ corner: "N", over: ran.filter(run("cpu")), whole: true },
      quantities: [
        ...ofEngines(speedUp, gpus),
        ...ofMachines((machine) => (count) => paperSpeedUp(machine, count), accelerators),
      ],
      note: "The paper’s, over one of its Xeons, from its table 2.",
    }),
  ];

  const measured = ofEngines((engine) => times(QUARTERS, seconds(engine)));
  const paperTimes = inLegend(ofMachines((machine) => times(QUARTERS, paperSeconds(machine))));
  const modelled = ofEngines((engine) =>
    times(
      QUARTERS,
      (count) => predicted(results, count, engine, "measured") ?? predicted(results, count, engine, "fits"),
    ),
  );
  const paperModel = ofMachines((machine) => (count) => unitSeconds(paperCosts(machine), count));
  const asModel = ({ label, of, look }: Quantity, dashed: boolean): Quantity => ({
    ...{ label: `${label}, model`, of, look: { ...look, curve: true, ...(dashed && { dashed }) } },
  });
  const withFit = (title: string, where: string, label: string, ours: Quantity["of"], fit: Quantity["of"]) =>
    lines({
      ...{ title, where, x: N, y: { label, scale: "log" }, over: COUNTS },
      quantities: [
        { label: "measured", of: ours },
        { label: "the paper’s fit", of: fit, look: { curve: true, dashed: true } },
      ],
    });
  const plots = [
    lines({
      title: "Time of a time unit",
      where: "figure 1",
      ...{ x: N, y: TIME, over: COUNTS, quantities: [...measured, ...paperTimes] },
      note: "The paper’s points are its table 2.",
    }),
    lines({
      title: "The performance model against the measurement",
      where: "figure 3",
      ...{ x: N, y: TIME, over: COUNTS },
      quantities: [
        ...measured,
        ...modelled.map((one) => asModel(one, false)),
        ...(["8800GTX", "Xeon"] as const).flatMap((machine) => {
          const i = PAPER_MACHINES.indexOf(machine);
          return [paperTimes[i], asModel(paperModel[i], true)];
        }),
      ],
      note: "Ours with the blocks of the run, where there is none with the paper’s fits. The paper’s by its eqs. 10–17 and table 3.",
    }),
    ...counts.map((count) =>
      lines({
        title: `Energy error over a quarter, ${count} particles`,
        where: "figure 2",
        x: { label: "ν", scale: "log" },
        y: { label: "|ΔE/E|", scale: "log" },
        over: nus,
        quantities: ofEngines<number>((engine) => (nu) => {
          const found = energy(engine, count, nu);
          return found && Math.abs(found);
        }),
        rules: (["8800GTX", "GRAPE-6Af"] as const).map((machine) => ({
          ...{ at: LEAST_ERRORS[machine], label: `${machine} at best` },
        })),
        note: "The paper’s figure is a plot; its text gives what its processors come down to.",
      }),
    ),
    lines({
      title: "Speed-up over the CPU",
      where: "figure 4",
      ...{ x: N, y: { label: "CPU / GPU", scale: "log" }, over: COUNTS },
      quantities: [
        ...ofEngines(speedUp, gpus),
        ...inLegend(ofMachines((machine) => (count) => paperSpeedUp(machine, count), accelerators)),
      ],
      note: "The paper’s points are its table 2.",
    }),
    withFit("Blocks of a time unit", "eq. 17", "blocks", blocks, paperBlocks),
    withFit("Mean block", "eq. 14", "particles", members, paperMembers),
  ];

  const MILLIONTHS = { unit: "10⁻⁶", factor: 1e6 };
  const inMillionths = (errors: Maybe[], pick: (values: number[]) => number) => {
    const found = among(
      errors.map((one) => one && Math.abs(one)),
      pick,
    );
    return found && MILLIONTHS.factor * found;
  };
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const nano = (value: Maybe) => value && 1e9 * value;
  const rounded = (value: number) => Number(value.toPrecision(3));
  const cost = (engine: Engine) => results.of(COSTS, { engine });
  const host = cost("cpu");
  const published = [
    ...beside(
      { where: "table 2", unit: "s" },
      PAPER_MACHINES.flatMap((machine) =>
        COUNTS.map((count) => [
          `quarter time unit, ${count}, ${machine} ${oursBeside(machine)}`,
          paperSeconds(machine)(count),
          seconds(BESIDE[machine])(count),
        ]),
      ),
    ),
    ...beside(
      { where: "eq. 14" },
      COUNTS.map((count) => [`mean block, ${count}`, paperMembers(count), members(count)]),
    ),
    ...beside(
      { where: "eq. 17" },
      COUNTS.map((count) => [`blocks of a time unit, ${count}`, paperBlocks(count), blocks(count)]),
    ),
    ...beside(
      { where: "sect. 6", unit: MILLIONTHS.unit },
      (["8800GTX", "FX1400", "GRAPE-6Af"] as const).map((machine) => [
        `mean |ΔE/E| of a quarter, ν = 0.01, ${machine} ${oursBeside(machine)}`,
        MEAN_ERRORS[machine],
        inMillionths(COUNTS.map(errorOf(BESIDE[machine])), mean),
      ]),
    ),
    ...beside(
      { where: "fig. 2, sect. 4.2", unit: MILLIONTHS.unit },
      (["8800GTX", "GRAPE-6Af"] as const).map((machine) => [
        `least |ΔE/E| over ν, ${machine} ${oursBeside(machine)}`,
        rounded(MILLIONTHS.factor * LEAST_ERRORS[machine]),
        inMillionths(
          counts.flatMap((count) => nus.map((nu) => energy(BESIDE[machine], count, nu))),
          least,
        ),
      ]),
    ),
    ...beside({ where: "table 3", unit: "ns" }, [
      [
        "a particle predicted and corrected on the host (ours: CPU, float64)",
        rounded(1e9 * TABLE_3_HOST),
        nano(host && host.loops[0].predict + host.correct),
      ],
    ]),
    ...beside(
      { where: "table 3", unit: "ns" },
      PAPER_MACHINES.map((machine) => [
        `force between two particles, ${machine} ${oursBeside(machine)}`,
        rounded(1e9 * TABLE_3[machine].pair),
        nano(cost(BESIDE[machine])?.pair),
      ]),
    ),
    ...beside(
      { where: "table 3", unit: "ns" },
      (["send", "receive"] as const).map((key) => [
        `${key === "send" ? "sending" : "receiving"} a particle, 8800GTX (ours: not in a run)`,
        rounded(1e9 * TABLE_3["8800GTX"][key]!),
        nano(cost("single")?.[key]),
      ]),
    ),
    ...beside(
      { where: "fig. 4, table 2" },
      COUNTS.map((count) => [
        `speed-up over the host, ${count}, 8800GTX ${oursBeside("8800GTX")}`,
        rounded(paperSpeedUp("8800GTX", count)),
        speedUp("single")(count),
      ]),
    ),
    ...beside({ where: "sect. 5.4" }, [
      [
        "speed-up over the host for many particles, 8800GTX (ours: the largest)",
        { atLeast: 10 },
        among(COUNTS.map(speedUp("single")), largest),
      ],
    ]),
  ];
  return { tables, plots, published, remarks: REMARKS };
}

export const suite: Suite = {
  id: "portegies-zwart2007",
  title: "Star clusters with block time steps",
  paper: "S. F. Portegies Zwart, R. G. Belleman & P. M. Geldof 2007, New Astronomy 12, 641–650",
  hardware: "a GRAPE-6Af, a GeForce 8800GTX, a Quadro FX1400 and a 3.4 GHz Xeon, which also hosted them",
  about:
    "Plummer spheres of equal masses, scaled to virial equilibrium; Hermite’s fourth-order scheme with block steps, softening " +
    "1/256, ν = 0.01, largest step 1/8, timed from t = 0.25 to 0.5. Blocks against the paper’s fits, energy against ν, and " +
    "its performance model with what it is made of measured on this machine.",
  measurements,
  present,
};
