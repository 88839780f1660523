/** What is read off the results, by engine and number of particles, for tables, plots and figures of the paper alike. */
import { ENGINES, type Engine } from "../hermite.ts";
import type { Quantity, Results, SuiteSettings } from "../spec.ts";
import { quantity, ratio } from "../spec.ts";
import { COUNTS, PAPER_MACHINES, type PaperMachine } from "./published.ts";
import { blocksOf, COSTS, ENERGY, energies, NAMES, predicted, RUN } from "./quantities.ts";

/** A quantity for each engine, or for each machine of the paper. */
export const ofEngines = <X>(of: (engine: Engine) => Quantity<X>["of"], engines: readonly Engine[] = ENGINES) =>
  engines.map((engine) => quantity(NAMES[engine], of(engine), { look: { colour: ENGINES.indexOf(engine) } }));
export const ofMachines = (
  of: (machine: PaperMachine) => Quantity["of"],
  machines: readonly PaperMachine[] = PAPER_MACHINES,
) =>
  machines.map((machine) => {
    const colour = ENGINES.length + PAPER_MACHINES.indexOf(machine);
    return quantity(machine, of(machine), { paper: true, look: { colour } });
  });

/** Ours and the paper's without the hosts, which theirs are held against. */
export const gpus = ENGINES.filter((engine) => engine !== "cpu");
export const accelerators = PAPER_MACHINES.filter((machine) => machine !== "Xeon");

export type Readings = ReturnType<typeof readingsOf>;

export function readingsOf(results: Results, settings: SuiteSettings) {
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
  const priced = ENGINES.filter((engine) => results.of(COSTS, { engine }));
  const ran = COUNTS.filter((count) => blocksOf(results, count));
  return {
    ...{ results, counts, nus, priced, ran },
    ...{ run, seconds, errorOf, speedUp, blocks, members, energy, overRun },
  };
}
