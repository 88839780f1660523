/**
 * Why the energy of a run isn't conserved, by two ratios: a model's length, or the half-mass radius, to a cell; the
 * step to 1/ω, ω² = GM(r)/r³ where the mass is densest. How the error grows tells nothing: for either cause most of it
 * is there after a few times 1/ω (test/physics/energy-cause.first.test.ts).
 */
import { greatest } from "d3-array";
import type { DiagnosticsRow } from "../engine/diagnostics/columns.ts";
import { integrators } from "../engine/direct/integrators.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { isFromFile, sampledComponents, sampledCount } from "../physics/initial/components.ts";
import { LAGRANGIAN_FRACTIONS } from "../physics/particles/sums.ts";
import { coarsest, fastestComponent, forceAbout } from "../scenario/resolution.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { timeInTerminal, timeUnitOf } from "./page/units.ts";

interface Cause {
  /** Undefined where nothing measured explains it. */
  why: string | undefined;
  /** After "try". */
  remedy: string;
}

/** A half-mass radius below so many cells is one that the mesh doesn't follow: that of a Plummer sphere of 1.2 cells. */
const ENOUGH_CELLS = 1.5;
/** ω times the step, from where the leapfrog loses half a per cent of a Plummer sphere's energy, and what is proposed. */
const LONG_STEP = 0.5;
const SHORT_STEP = 0.2;
/** Particles within a Lagrangian radius that says how dense it is. */
const LEAST_WITHIN = 50;

const HALF = LAGRANGIAN_FRACTIONS.indexOf(0.5);

/** Explains an error by the rows until then; `tracers`: nothing feels the mesh. */
export function energyCause(scenario: Scenario, rows: readonly DiagnosticsRow[], tracers: boolean): Cause {
  const known = tracers ? [] : [coarseness(scenario, rows), haste(scenario, rows)];
  const found = known.filter((one) => one !== undefined);
  if (found.length === 0) return { why: undefined, remedy: shorterSteps(scenario, tracers) };
  const [whys, remedies] = [found.map(({ why }) => why), found.map(({ remedy }) => remedy)];
  return { why: whys.join(", and "), remedy: remedies.join("; and ") };
}

/** What the mesh is too coarse for at any step; over-softened direct sums conserve their energy. */
function coarseness(scenario: Scenario, rows: readonly DiagnosticsRow[]): (Cause & { why: string }) | undefined {
  const { gravity, box, units, time } = scenario;
  if (gravity !== "mesh") return undefined;
  const of = "which the mesh doesn't follow at any step";
  const known = coarsest(scenario);
  if (known) return { why: `${known.text}, ${of}`, remedy: known.ways.join(", or ") || MORE_CELLS };
  if (box.boundary !== "isolated") return undefined;
  const closest = rows.reduce((a, b) => (b.lagrangianRadii[HALF] < a.lagrangianRadii[HALF] ? b : a));
  const radius = closest.lagrangianRadii[HALF];
  const { h: cell } = forceAbout(scenario, radius);
  if (!(radius < ENOUGH_CELLS * cell)) return undefined;
  const ratio = Number((radius / cell).toPrecision(2));
  const cells = ratio < 1 ? `${ratio} of a cell` : `only ${ratio} times a cell`;
  const moment = timeInTerminal(closest.time, timeUnitOf(units.system, time.clock));
  return {
    why: `half of the mass is within ${shown(radius, 4)} at time ${moment}, ${cells} (${shown(cell, 4)}), ${of}`,
    remedy: scenario.level.length > 0 ? "another [[level]] in those that there are" : MORE_CELLS,
  };
}

const MORE_CELLS = "more mesh.cells, or a sum over pairs (gravity=direct)";

/** Steps of one length for all that are too long for the densest part. */
function haste(scenario: Scenario, rows: readonly DiagnosticsRow[]): (Cause & { why: string }) | undefined {
  const { gravity, direct, time } = scenario;
  if (gravity === "direct" && direct.steps !== "shared") return undefined;
  const start = fastestComponent(scenario);
  const moments = rows.map((row, index) => ({
    ...greatest([start, ...ratesOf(scenario, row)], ({ rate, substeps }) => rate / substeps)!,
    step: stepAt(time, rows, index),
  }));
  const worst = greatest(moments, ({ rate, substeps, step }) => (rate * step) / substeps)!;
  const ratio = (worst.rate * worst.step) / worst.substeps;
  if (!(ratio > LONG_STEP)) return undefined;
  const adaptive = time.step === "adaptive";
  const why =
    `${adaptive ? "a step of " : "time.step = "}${shown(worst.step)}${worst.substeps > 1 ? `, in ${worst.substeps} substeps,` : ""} is ${shown(ratio)} of the time r/v of circular orbits ` +
    `where the mass is densest (${shown(1 / worst.rate)})`;
  const remedy = adaptive
    ? `time.accuracy = ${shown((time.accuracy * SHORT_STEP) / ratio)}`
    : `time.step = ${shown((SHORT_STEP * worst.substeps) / worst.rate)}`;
  return { why, remedy };
}

/** Mean step up to a row [time]; 0: not known. */
function stepAt({ step }: Scenario["time"], rows: readonly DiagnosticsRow[], index: number): number {
  if (step !== "adaptive") return step;
  if (index === 0) return 0;
  const [before, now] = [rows[index - 1], rows[index]];
  return now.step > before.step ? (now.time - before.time) / (now.step - before.step) : 0;
}

/** √(GM/r³) of the Lagrangian radii [1/time], and the kicks in a step there; none where the deck doesn't know the mass. */
function ratesOf(scenario: Scenario, { lagrangianRadii }: DiagnosticsRow): { rate: number; substeps: number }[] {
  if (scenario.particles.some(isFromFile) || scenario.box.boundary === "periodic") return [];
  const { G } = unitSystem(scenario.units.system);
  const mass = sampledComponents(scenario).reduce((sum, component) => sum + (component.mass ?? 0), 0);
  const count = sampledCount(scenario);
  return LAGRANGIAN_FRACTIONS.map((fraction, k) => {
    const { h, substeps } = forceAbout(scenario, lagrangianRadii[k]);
    const r = Math.max(h, lagrangianRadii[k]);
    const isKnown = fraction * count >= LEAST_WITHIN && r > 0;
    return { rate: isKnown ? Math.sqrt((G * fraction * mass) / r ** 3) : 0, substeps };
  });
}

function shorterSteps({ gravity, direct, time }: Scenario, tracers: boolean): string {
  if (gravity === "direct") {
    return direct.steps === "shared"
      ? "a shorter time.step"
      : `a smaller direct.${integrators[direct.integrator].accuracy[0]}`;
  }
  const steps = time.step === "adaptive" ? "a smaller time.accuracy" : "a shorter time.step";
  return tracers || gravity === "p3m" ? steps : `${steps}, and where that changes nothing more mesh.cells`;
}

const shown = (value: number, digits = 2) => String(Number(value.toPrecision(digits)));
