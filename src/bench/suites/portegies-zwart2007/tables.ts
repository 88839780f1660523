/** The tables of the suite's page. */
import { ENGINES, type Engine } from "../hermite.ts";
import type { Maybe, Quantity, Results } from "../spec.ts";
import { quantity, ratio, table } from "../spec.ts";
import { figure } from "../text.ts";
import type { MeasuredCosts } from "./model.ts";
import type { PaperMachine } from "./published.ts";
import {
  PAPER_MACHINES,
  paperBlocks,
  paperMembers,
  paperSeconds,
  speedUp as paperSpeedUp,
  TABLE_3,
  TABLE_3_HOST,
} from "./published.ts";
import { COSTS, ENERGY, NAMES } from "./quantities.ts";
import { accelerators, gpus, ofEngines, ofMachines, type Readings } from "./readings.ts";

const inSize = (value: number) => Math.abs(value).toExponential(1);

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

export function tablesOf(readings: Readings) {
  const { results, counts, nus, priced, ran } = readings;
  const { run, seconds, errorOf, speedUp, blocks, members, energy, overRun } = readings;
  const whole = (value: number) => value.toFixed(0);
  const byCount = { corner: "N", over: ran };

  return [
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
}
