/** centres.csv: where potentials with a path or an orbit are, and what has become of the frame of a host, at output.diagnostics times. */
import { unitSystem } from "../../foundation/deck/units.ts";
import { integral } from "../../physics/cosmology/quadrature.ts";
import { unmovedPotentials } from "../../physics/initial/placing.ts";
import { placedAt } from "../../physics/potentials/motion.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { csvHead, csvLine } from "../io/csv.ts";
import type { RunOutput } from "./output.ts";

const FILE = "centres.csv";
const COLUMNS = ["x", "y", "z", "vx", "vy", "vz"];
/** Of the integrals of a frame's acceleration since the start. */
const PANELS = 64;

/** What moves as a function of time; parts of one table are one. */
export interface MovingCentre {
  name: string;
  /** x, y, z in box coordinates [length] and velocity; a frame's are what it has gained in an inertial one since time 0. */
  at(time: number): number[];
}

export function movingCentres({
  scenario,
  externalPotentials,
}: Pick<Simulation, "scenario" | "externalPotentials">): MovingCentre[] {
  const named = unmovedPotentials(scenario, unitSystem(scenario.units.system).G);
  const firstOf = (potential: ExternalPotential) => externalPotentials.find(({ path }) => path === potential.path);
  return externalPotentials.flatMap((potential, k): MovingCentre[] => {
    const name = (named[k]?.name ?? potential.kind).split(": ")[0];
    if (potential.acceleration) return [{ name: "frame", at: (time) => gained(potential, time) }];
    if (!potential.path || firstOf(potential) !== potential) return [];
    const at = (time: number) => [0, 1].flatMap((order) => placedAt(potential, time).centre.map((jet) => jet[order]));
    return [{ name, at }];
  });
}

/** −∫ (t − s) a(s) ds and −∫ a(s) ds: the frame is accelerated the other way than what is in it. */
function gained(frame: ExternalPotential, time: number): number[] {
  const sum = (axis: number, weight: (s: number) => number) =>
    -integral((s) => weight(s) * placedAt(frame, s).acceleration![axis][0], 0, time, PANELS);
  const over = (weight: (s: number) => number) => [0, 1, 2].map((axis) => sum(axis, weight));
  return [...over((s) => time - s), ...over(() => 1)];
}

export const centres: RunOutput<readonly MovingCentre[]> = {
  name: "centres",
  meaning:
    "of potentials with a path or an orbit: their centres and velocities, and those that a host's frame has gained, at output.diagnostics times",
  files: [FILE],
  has: ({ potential }) => potential.some((table) => "path" in table || "orbit" in table),
  writer({ simulation, lines }) {
    const moving = movingCentres(simulation);
    const heads = moving.flatMap(({ name }) => COLUMNS.map((column) => `${name.replace(/[",\n]/g, " ")}.${column}`));
    const file = lines(FILE, csvHead(["time", "step", ...heads]).trimEnd());
    return {
      onRow: ({ time, step }) => file.append(csvLine([time, step, ...moving.flatMap(({ at }) => at(time))]).trimEnd()),
      summary: () => moving,
    };
  },
};
