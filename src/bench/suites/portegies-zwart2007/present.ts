/** Plots and remarks of the suite `portegies-zwart2007`: its figures 1 to 4 redrawn, blocks against the fits. */

import { leftOutRemark } from "../left-out.ts";
import type { LinesPlot, SuiteAxis, SuiteSeries } from "../page-model.ts";
import type { Presentation, Results, SuiteSettings } from "../suite.ts";
import { figure } from "../text.ts";
import { COUNTS, ENGINE_NAMES, ENGINES, type Engine, energies } from "./cases.ts";
import { PAPER_MACHINES, type PaperMachine, paperBlocks, paperCosts, paperMembers, unitSeconds } from "./model.ts";
import { speedUp, TABLE_2 } from "./published.ts";
import { costsKey, energyKey, PortegiesZwart, QUARTERS, runKey } from "./results.ts";
import { tables } from "./tables.ts";

const N: SuiteAxis = {
  label: "particles",
  scale: "log",
  ticks: [256, 1024, 4096, 16_384, 65_536].map((at) => ({ at, text: String(at) })),
};
const TIME: SuiteAxis = { label: "time of a time unit [s]", scale: "log" };

const over = (counts: readonly number[], value: (count: number) => number | undefined): [number, number][] =>
  counts.flatMap((count) => {
    const y = value(count);
    return y === undefined || y === 0 ? [] : [[count, y] as [number, number]];
  });

const colourOf = (engine: Engine) => ENGINES.indexOf(engine);
/** Colours after those of our engines. */
const paperColour = (machine: PaperMachine) => ENGINES.length + PAPER_MACHINES.indexOf(machine);

function measured(found: PortegiesZwart): SuiteSeries[] {
  return ENGINES.map((engine) => ({
    label: ENGINE_NAMES[engine],
    points: over(COUNTS, (count) => {
      const run = found.run(count, engine);
      return run && QUARTERS * run.seconds;
    }),
    colour: colourOf(engine),
  }));
}

const paperTimes = (machine: PaperMachine): SuiteSeries => ({
  label: `${machine}, paper`,
  paper: true,
  points: COUNTS.map((count, i) => [count, QUARTERS * TABLE_2[machine][i]]),
  colour: paperColour(machine),
});

function timePlot(found: PortegiesZwart): LinesPlot {
  return {
    kind: "lines",
    title: "Time of a time unit",
    where: "figure 1",
    x: N,
    y: TIME,
    series: [...measured(found), ...PAPER_MACHINES.map(paperTimes)],
    note: "The paper’s points are its table 2.",
  };
}

function modelPlot(found: PortegiesZwart): LinesPlot {
  const ours = ENGINES.map((engine): SuiteSeries => {
    const points = over(COUNTS, (count) => {
      const quarter = found.predicted(count, engine, "measured") ?? found.predicted(count, engine, "fits");
      return quarter && QUARTERS * quarter;
    });
    return { label: `${ENGINE_NAMES[engine]}, model`, curve: true, points, colour: colourOf(engine) };
  });
  const theirs = (["8800GTX", "Xeon"] as const).flatMap((machine): SuiteSeries[] => [
    paperTimes(machine),
    {
      label: `${machine}, model`,
      ...{ curve: true, dashed: true, colour: paperColour(machine) },
      points: over(COUNTS, (count) => unitSeconds(paperCosts(machine), count)),
    },
  ]);
  return {
    kind: "lines",
    title: "The performance model against the measurement",
    where: "figure 3",
    x: N,
    y: TIME,
    series: [...measured(found), ...ours, ...theirs],
    note: "Ours with the blocks of the run, where there is none with the paper’s fits. The paper’s by its eqs. 10–17 and table 3.",
  };
}

function energyPlot(found: PortegiesZwart, count: number, nus: readonly number[]): LinesPlot {
  const series = ENGINES.map((engine): SuiteSeries => {
    const points = over(nus, (nu) => {
      const run = found.energy(count, engine, nu);
      return run && Math.abs(run.energyError);
    });
    return { label: ENGINE_NAMES[engine], points, colour: colourOf(engine) };
  });
  return {
    kind: "lines",
    title: `Energy error over a quarter, ${count} particles`,
    where: "figure 2",
    x: { label: "ν", scale: "log" },
    y: { label: "|ΔE/E|", scale: "log" },
    series,
    rules: [
      { at: 1e-7, label: "8800GTX at best" },
      { at: 1e-11, label: "GRAPE-6Af at best" },
    ],
    note: "The paper’s figure is a plot; its text gives what its processors come down to.",
  };
}

function speedUpPlot(found: PortegiesZwart): LinesPlot {
  return {
    kind: "lines",
    title: "Speed-up over the CPU",
    where: "figure 4",
    note: "The paper’s points are its table 2.",
    x: N,
    y: { label: "CPU / GPU", scale: "log" },
    series: [
      ...ENGINES.filter((engine) => engine !== "cpu").map((engine) => ({
        label: ENGINE_NAMES[engine],
        points: over(COUNTS, (count) => found.speedUp(count, engine)),
        colour: colourOf(engine),
      })),
      ...PAPER_MACHINES.filter((machine) => machine !== "Xeon").map((machine) => ({
        label: `${machine}, paper`,
        paper: true,
        points: over(COUNTS, (count) => speedUp(machine, count)),
        colour: paperColour(machine),
      })),
    ],
  };
}

function blockPlots(found: PortegiesZwart): LinesPlot[] {
  const one = (
    title: string,
    where: string,
    label: string,
    ours: (count: number) => number | undefined,
    fit: (count: number) => number,
  ): LinesPlot => ({
    kind: "lines",
    ...{ title, where },
    x: N,
    y: { label, scale: "log" },
    series: [
      { label: "measured", points: over(COUNTS, ours) },
      { label: "the paper’s fit", curve: true, dashed: true, points: over(COUNTS, fit) },
    ],
  });
  return [
    one("Blocks of a time unit", "eq. 17", "blocks", (count) => found.blocks(count)?.blocks, paperBlocks),
    one("Mean block", "eq. 14", "particles", (count) => found.blocks(count)?.members, paperMembers),
  ];
}

const REMARKS = [
  "Everything runs on the GPU here: prediction, forces, correction and the choice of steps; between blocks nothing is sent or received. The paper’s GPUs got and returned all particles at every block, which by its model takes most of the 8800GTX’s time at all these sizes, and predicted and corrected on the host: its figure 5 asks what it would be without.",
  "“Single” means that forces are summed in float32 slices of 128 from differences of float32 positions; positions and velocities are pairs of float32 in both precisions, and so are the totals of the slices. The paper’s GPUs know positions and sum forces in float32 alone, and its energy error stops near 10⁻⁷ for it.",
  "The smallest step is 2⁻³⁰ of the largest, the paper’s 2⁻²⁶ of the time unit. The first steps are an eighth of its eq. 2 (docs/integrators.md).",
  "The number of blocks lies above the paper’s fit, here as in other codes; their size agrees with its eq. 14.",
  "The host is this machine’s CPU in float64, one thread of JavaScript. The paper’s 131072 to 524288 particles on the 8800GTX are not run, nor is its figure 5, an outlook.",
];

function leftOut(results: Results, settings: SuiteSettings): string[] {
  const { counts, nus } = energies(settings);
  const runs = ENGINES.flatMap((engine) =>
    COUNTS.map((count) => ({
      group: `${ENGINE_NAMES[engine]}, particles`,
      label: String(count),
      result: results.get<object>(runKey(count, engine)),
    })),
  );
  const errors = counts.flatMap((count) =>
    ENGINES.flatMap((engine) =>
      nus.map((nu) => ({
        group: `${ENGINE_NAMES[engine]}, ${count} particles, ν`,
        label: figure(nu),
        result: results.get<object>(energyKey(count, engine, nu)),
      })),
    ),
  );
  const costs = ENGINES.map((engine) => ({
    group: "what the model is made of",
    label: ENGINE_NAMES[engine],
    result: results.get<object>(costsKey(engine)),
  }));
  return leftOutRemark([...runs, ...errors, ...costs]);
}

export function present(results: Results, settings: SuiteSettings): Presentation {
  const found = new PortegiesZwart(results);
  const { counts, nus } = energies(settings);
  return {
    tables: tables(found, settings),
    plots: [
      timePlot(found),
      modelPlot(found),
      ...counts.map((count) => energyPlot(found, count, nus)),
      speedUpPlot(found),
      ...blockPlots(found),
    ],
    remarks: [...REMARKS, ...leftOut(results, settings)],
  };
}
