/** The plots of the suite's page. */
import type { ChartAxis } from "../../../page/axes.ts";
import type { Maybe, Quantity } from "../spec.ts";
import { lines } from "../spec.ts";
import { QUARTERS } from "./measure.ts";
import { paperCosts, unitSeconds } from "./model.ts";
import {
  COUNTS,
  LEAST_ERRORS,
  PAPER_MACHINES,
  paperBlocks,
  paperMembers,
  paperSeconds,
  speedUp as paperSpeedUp,
} from "./published.ts";
import { predicted } from "./quantities.ts";
import { accelerators, gpus, ofEngines, ofMachines, type Readings } from "./readings.ts";

const N: ChartAxis = {
  label: "particles",
  scale: "log",
  ticks: [256, 1024, 4096, 16_384, 65_536].map((at) => ({ at, text: String(at) })),
};
const TIME: ChartAxis = { label: "time of a time unit [s]", scale: "log" };
const times =
  (factor: number, of: (count: number) => Maybe) =>
  (count: number): Maybe => {
    const value = of(count);
    return value && factor * value;
  };

const inLegend = (quantities: Quantity[]) => quantities.map((one) => ({ ...one, label: `${one.label}, paper` }));

export function plotsOf(readings: Readings) {
  const { results, counts, nus, seconds, speedUp, blocks, members, energy } = readings;
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
  return [
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
}
