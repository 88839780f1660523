/** Tables of the suite `portegies-zwart2007`: table 2 with our columns, blocks, energy, table 3, the model's prediction. */
import type { SuiteTable } from "../page-model.ts";
import type { SuiteSettings } from "../suite.ts";
import { figure } from "../text.ts";
import { COUNTS, ENGINE_NAMES, ENGINES, type Engine, energies } from "./cases.ts";
import type { MeasuredCosts } from "./costs.ts";
import { PAPER_MACHINES, paperBlocks, paperMembers, TABLE_3, TABLE_3_HOST } from "./model.ts";
import { speedUp, TABLE_2 } from "./published.ts";
import type { PortegiesZwart } from "./results.ts";

type Maybe = number | undefined;
const cell = (value: Maybe, write: (value: number) => string = figure) => (value === undefined ? null : write(value));
const size = (value: number) => Math.abs(value).toExponential(1);
const ENGINE_COLUMNS = ENGINES.map((engine) => ENGINE_NAMES[engine]);
const indexOf = (count: number) => COUNTS.indexOf(count);

function timeTable(found: PortegiesZwart): SuiteTable {
  return {
    title: "A quarter of a time unit [s] (table 2)",
    columns: ["N", ...ENGINE_COLUMNS, ...PAPER_MACHINES],
    rows: found
      .counts()
      .map((count) => [
        String(count),
        ...ENGINES.map((engine) => cell(found.run(count, engine)?.seconds)),
        ...PAPER_MACHINES.map((machine) => figure(TABLE_2[machine][indexOf(count)])),
      ]),
    note: "The last four columns are the paper’s.",
  };
}

function blockTable(found: PortegiesZwart): SuiteTable {
  const rows = found.counts().map((count) => {
    const { blocks, members } = found.blocks(count)!;
    const [fitted, fittedMembers] = [paperBlocks(count), paperMembers(count)];
    return [
      ...[String(count), blocks.toFixed(0), fitted.toFixed(0), figure(blocks / fitted)],
      ...[figure(members), figure(fittedMembers), figure(members / fittedMembers)],
    ];
  });
  return {
    title: "Blocks of a time unit, and particles of a block on average (eqs. 17 and 14)",
    columns: ["N", "blocks", "eq. 17", "ratio", "mean block", "eq. 14", "ratio"],
    rows,
    note: "Four times the blocks of the measured quarter.",
  };
}

function errorTable(found: PortegiesZwart): SuiteTable {
  return {
    title: "|ΔE/E| over a quarter, ν = 0.01",
    columns: ["N", ...ENGINE_COLUMNS],
    rows: found
      .counts()
      .map((count) => [String(count), ...ENGINES.map((engine) => cell(found.run(count, engine)?.energyError, size))]),
  };
}

function nuTable(found: PortegiesZwart, settings: SuiteSettings): SuiteTable {
  const { counts, nus } = energies(settings);
  const rows = counts.flatMap((count) =>
    nus.map((nu) => {
      const runs = ENGINES.map((engine) => found.energy(count, engine, nu));
      const blocks = runs.find((run) => run)?.blocks;
      return [`${count}, ${figure(nu)}`, ...runs.map((run) => cell(run?.energyError, size)), cell(blocks, String)];
    }),
  );
  return {
    title: "|ΔE/E| over the first quarter, against ν (figure 2)",
    columns: ["N, ν", ...ENGINE_COLUMNS, "blocks"],
    rows: rows.filter((row) => row.slice(1).some((one) => one !== null)),
  };
}

/** Seconds as nanoseconds. */
const nano = (value: Maybe) => cell(value, (seconds) => figure(1e9 * seconds));

function costTable(found: PortegiesZwart): SuiteTable {
  const costs = ENGINES.map((engine) => found.costs(engine));
  const row = (name: string, ours: (costs: MeasuredCosts) => Maybe, paper: readonly Maybe[] = []) => [
    name,
    ...costs.map((one) => nano(one && ours(one))),
    ...PAPER_MACHINES.map((_, i) => nano(paper[i])),
  ];
  const few = ({ loops }: MeasuredCosts) => loops[0];
  const many = ({ loops }: MeasuredCosts) => loops[loops.length - 1];
  const upTo = costs.map((one) => one && few(one).upTo).find((one) => one !== undefined);
  const limit = upTo === undefined ? "" : ` Few are up to ${upTo}, which one workgroup predicts and corrects.`;
  const of = (key: "pair" | "send" | "receive") => PAPER_MACHINES.map((machine) => TABLE_3[machine][key]);
  return {
    title: "What the model is made of [ns] (table 3)",
    columns: ["", ...ENGINE_COLUMNS, ...PAPER_MACHINES],
    rows: costs.every((one) => one === undefined)
      ? []
      : [
          row("a block, few particles", (one) => few(one).block),
          row("a block, many particles", (one) => many(one).block),
          row("predicting a particle, few", (one) => few(one).predict),
          row("predicting a particle, many", (one) => many(one).predict),
          row("correcting a particle", ({ correct }) => correct),
          row(
            "both, on the host",
            () => undefined,
            PAPER_MACHINES.map(() => TABLE_3_HOST),
          ),
          row("a force between two", ({ pair }) => pair, of("pair")),
          row("sending a particle", ({ send }) => send, of("send")),
          row("receiving a particle", ({ receive }) => receive, of("receive")),
        ],
    note: `The last four columns are the paper’s. Ours sends and receives nothing between blocks; a block has a cost of its own.${limit}`,
  };
}

function modelTable(found: PortegiesZwart): SuiteTable {
  const ratio = (count: number, engine: Engine, blocks: "measured" | "fits") => {
    const [run, predicted] = [found.run(count, engine)?.seconds, found.predicted(count, engine, blocks)];
    return run && predicted && predicted / run;
  };
  const engines = ENGINES.filter((engine) => found.costs(engine));
  return {
    title: "The model’s prediction over the measured time (figure 3)",
    columns: ["N", ...engines.flatMap((engine) => [ENGINE_NAMES[engine], "with eqs. 14, 17"])],
    rows:
      engines.length === 0
        ? []
        : found
            .counts()
            .map((count) => [
              String(count),
              ...engines.flatMap((engine) => [
                cell(ratio(count, engine, "measured")),
                cell(ratio(count, engine, "fits")),
              ]),
            ]),
    note: "With the blocks of the run, and with the paper’s fits for their number and size.",
  };
}

function speedUpTable(found: PortegiesZwart): SuiteTable {
  const gpus = ENGINES.filter((engine) => engine !== "cpu");
  const machines = PAPER_MACHINES.filter((machine) => machine !== "Xeon");
  return {
    title: "Speed-up over the CPU (figure 4)",
    columns: ["N", ...gpus.map((engine) => ENGINE_NAMES[engine]), ...machines],
    rows: found
      .counts()
      .filter((count) => found.run(count, "cpu"))
      .map((count) => [
        String(count),
        ...gpus.map((engine) => cell(found.speedUp(count, engine))),
        ...machines.map((machine) => figure(speedUp(machine, count))),
      ]),
    note: "The paper’s, over one of its Xeons, from its table 2.",
  };
}

export function tables(found: PortegiesZwart, settings: SuiteSettings): SuiteTable[] {
  return [
    timeTable(found),
    blockTable(found),
    errorTable(found),
    nuTable(found, settings),
    costTable(found),
    modelTable(found),
    speedUpTable(found),
  ];
}
