/** Whether a run's numbers can be trusted; all follows from deck and rows, so that a resumed run says the same. */

import type { DiagnosticsRow } from "../engine/diagnostics/columns.ts";
import { meshHalfWidth } from "../engine/mesh/settings.ts";
import { shortest } from "../foundation/deck/problems.ts";
import { isFromFile, isRigid } from "../physics/initial/components.ts";
import { latticeShift } from "../physics/initial/lattice-phase.ts";
import { assignmentNames, assignments } from "../physics/particles/assignments.ts";
import { LAGRANGIAN_FRACTIONS } from "../physics/particles/sums.ts";
import { conservedBy } from "../scenario/conserved.ts";
import { scenarioWarnings } from "../scenario/remarks.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Simulation } from "../scenario/simulation/simulation.ts";
import { energyCause } from "./energy-cause.ts";
import { LARGE_ENERGY_ERROR, worstRow } from "./page/concern.ts";
import { grouped } from "./page/numbers.ts";
import { timeInTerminal, timeUnitOf } from "./page/units.ts";

/** Shares and relative errors above which there is something to say. */
const OUTSIDE_AT_START = 0.01;
const LEFT = 0.05;
/** A centre of mass further out than this share of the box is worth an offset. */
const OFF_CENTRE = 0.01;
/** Room beyond the particles in a box that is proposed. */
const ROOM = 1.2;

const NINE_TENTHS = LAGRANGIAN_FRACTIONS.indexOf(0.9);

export type HealthKind = "outside" | "left" | "energy";

/** Every warning of a run with these rows, as users see them; `found`: those of its initial particles. */
export function warningsOf(
  scenario: Scenario,
  { particles, rows, found = [] }: { particles: number; rows: readonly DiagnosticsRow[]; found?: readonly string[] },
): string[] {
  const measured = healthOf(scenario, particles, rows).map(({ message }) => message);
  return [...new Set([...scenarioWarnings(scenario), ...found, ...measured])];
}

/** What is doubtful about a run with these rows; `particles`: their number. */
export function healthOf(scenario: Scenario, particles: number, rows: readonly DiagnosticsRow[]) {
  if (rows.length === 0) return [];
  const tracers = tracersAlone(scenario);
  const found: [HealthKind, string | undefined][] = [
    ["outside", tracers ? undefined : outsideAtStart(scenario, particles, rows[0])],
    ["left", tracers ? undefined : left(particles, rows)],
    ["energy", energy(scenario, rows)],
  ];
  return found.flatMap(([kind, message]) => (message === undefined ? [] : [{ kind, message }]));
}

function tracersAlone({ particles }: Scenario): boolean {
  return particles.every((component) => isRigid(component) || ("mass" in component && component.mass === 0));
}

/** Why a run with this row has failed, unless its deck allows for it. */
export function failureOf(scenario: Scenario, row: DiagnosticsRow): string | undefined {
  const { clock, maxEnergyError } = scenario.time;
  const { quantity } = conservedBy(scenario);
  if (quantity === "none") return undefined;
  const error = Math.abs(row.relativeEnergyError);
  if (error <= maxEnergyError) return undefined;
  const { why, remedy } = energyCause(scenario, [row], tracersAlone(scenario));
  const kept = quantity === "jacobi" ? "the relative error of Jacobi's integral" : "the relative energy error";
  const what = clock === "comoving" ? "the residual of the cosmic energy equation" : kept;
  return (
    `at time ${timeOf(row, scenario)}, step ${row.step}, ${what} is ${Number(error.toPrecision(3))}, above ` +
    `time.maxEnergyError = ${maxEnergyError}: ${why ?? "the steps don't follow the motion"}. Try ${remedy}; ` +
    "time.maxEnergyError = inf lets such a run go on"
  );
}

function outsideAtStart(scenario: Scenario, particles: number, first: DiagnosticsRow): string | undefined {
  const { outside, centreOfMass, lagrangianRadii } = first;
  if (!(outside > OUTSIDE_AT_START * particles)) return undefined;
  const { size } = scenario.box;
  const half = meshHalfWidth(scenario);
  const shift = centreOfMass.map((x) => size / 2 - x);
  const off = Math.max(...shift.map(Math.abs));
  const reach = lagrangianRadii[NINE_TENTHS];
  const advice: string[] = [];
  const text = (values: readonly number[]) => vectorText(values.map((value) => Number(value.toPrecision(4)) + 0)); // no −0
  if (off > OFF_CENTRE * size) advice.push(shifting(scenario.particles, shift, text));
  if (reach > half) advice.push(`use a box.size of about ${Number(((ROOM * reach * size) / half).toPrecision(2))}`);
  return (
    `${share(outside, particles)} are outside the mesh at the start, where they feel no more than the monopole of the rest. ` +
    `Their centre of mass is at ${text(centreOfMass)}, that of the box at ${text(Array(3).fill(size / 2))}` +
    `${advice.length > 0 ? `; to have them inside, ${advice.join(" and ")}` : ""}`
  );
}

/** How a deck moves all particles by `shift` [length]; `text` writes three numbers. */
export function shifting(particles: Scenario["particles"], shift: readonly number[], text = vectorText): string {
  if (particles.length > 1) return `add ${text(shift)} to the offset of every component`;
  const [{ name, offset }] = particles;
  return `set offset = ${text(offset.map((x, axis) => x + shift[axis]))} in [[particles]] ${name}`;
}

function left(particles: number, rows: readonly DiagnosticsRow[]): string | undefined {
  const gone = rows[rows.length - 1].outside - rows[0].outside;
  if (!(gone > LEFT * particles)) return undefined;
  return `${share(gone, particles)} have left the mesh since the start and feel no more than the monopole of the rest: a larger box.size keeps them on it`;
}

function energy(scenario: Scenario, rows: readonly DiagnosticsRow[]): string | undefined {
  const { quantity } = conservedBy(scenario);
  if (quantity === "none") return undefined;
  const worst = worstRow(rows)!;
  const most = Math.abs(worst.relativeEnergyError);
  if (!(most > LARGE_ENERGY_ERROR[scenario.time.clock])) return undefined;
  if (scenario.time.clock === "comoving") {
    const larger = assignmentNames.filter((name) => assignments[name].order > 1).map((name) => `"${name}"`);
    const clouds =
      assignments[scenario.mesh.assignment].order === 1 ? `mesh.assignment = ${larger.join(" or ")}, ` : "";
    return `the residual of the cosmic energy equation is ${percent(most)} of the potential energy at time ${timeOf(worst, scenario)}: try ${clouds}more rows of diagnostics, ${scenario.gravity === "p3m" ? "more p3m.substeps, " : ""}or a shorter time.step`;
  }
  const outside = worst.outside > 0 ? "; particles that leave the mesh count in it, too" : "";
  const off = most < 10 ? percent(most) : `${Number(most.toPrecision(2))} times its first value`;
  const what = quantity === "jacobi" ? "Jacobi's integral" : "the energy";
  const until = rows.slice(0, rows.indexOf(worst) + 1);
  const { why, remedy } = energyCause(scenario, until, tracersAlone(scenario));
  return (
    `${what} is off by ${off} at time ${timeOf(worst, scenario)}: ${why ? `${why}; ` : ""}` + `try ${remedy}${outside}`
  );
}

const timeOf = ({ time }: DiagnosticsRow, { units, time: { clock } }: Scenario) =>
  timeInTerminal(time, timeUnitOf(units.system, clock));

const share = (count: number, all: number) =>
  `${grouped(count)} of ${grouped(all)} particles (${percent(count / all)})`;

const percent = (part: number) => `${Number((100 * part).toPrecision(3))} %`;

export const vectorText = (values: readonly number[]) => `[${values.map(shortest).join(", ")}]`;

/** For a comoving run at its start whose particles were read from files; undefined where there is nothing to say. */
export async function latticeRemark(simulation: Simulation): Promise<string | undefined> {
  const { time, gravity, particles, box, mesh } = simulation.scenario;
  if (time.clock !== "comoving" || gravity === "direct" || !particles.some(isFromFile)) return undefined;
  const { positions } = await simulation.readParticles();
  const shift = latticeShift(positions, box.size, mesh.cells);
  if (!shift) return undefined;
  const most = assignments[mesh.assignment].shiftedLattice;
  const effect =
    most === undefined ? "" : `, which changes P(k) by up to ${most} % with mesh.assignment = "${mesh.assignment}"`;
  const cells = shift.map((way) => (Math.abs(way) * mesh.cells) / box.size);
  return (
    `The particles begin near a lattice whose points lie ${vectorText(cells.map((x) => Number(x.toFixed(2))))} cells from where ` +
    `gravmesh has its own, in the middle of the mesh's cells${effect}. To have them there, ` +
    `${shifting(particles, shift)}: a shift of all particles is no change to a periodic box otherwise.`
  );
}
