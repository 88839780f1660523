/**
 * The runs of the suite `portegies-zwart2007` (Portegies Zwart, Belleman & Geldof 2007, section 4): a quarter of a time
 * unit of Plummer spheres scaled to virial equilibrium, on the GPU or the CPU. Block steps of Hermite's fourth-order
 * scheme, ε = 1/256, largest step 1/8: the deck plummer-hermite.
 */
import { unpackForces } from "../../../direct/bodies.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { ForceBench } from "../../force-timing.ts";
import { releasing } from "../../releasing.ts";
import { keepingLast } from "../../timing.ts";
import {
  bodiesOf,
  drawn,
  type Engine,
  largestStep,
  pairSeconds,
  type RunPart,
  sphereScenario,
  timedRun,
  unable,
} from "../hermite.ts";
import { type LeftOut, type MeasurementContext, tooLong } from "../spec.ts";
import { paperBlocks, paperMembers } from "./published.ts";

/** ν of the paper's performance measurements. */
export const NU = 0.01;

export const scenarioOf = (count: number, engine: Engine = "double-single", nu = NU): Scenario =>
  sphereScenario(count, engine, [`nu=${nu}`]);

export interface Run {
  count: number;
  engine: Engine;
  nu: number;
  /** Quarters before the one that is measured: the paper's times are of the second, its energies of the first. */
  before: 0 | 1;
  /** A run that would take longer, what comes before included, is left out [s]. */
  longest: number;
}

/** Quarters in a time unit. */
export const QUARTERS = 4;
/** A short run is repeated from t = 0.25, so many times in all. */
const RUNS = 5;
/** Blocks are half as many again and more than the paper's fit says (docs/integrators.md). */
const MORE_BLOCKS = 1.7;

/** Interactions of `quarters` of a time unit, by the paper's fits: blocks go with ν^−½. */
export function expectedPairs(count: number, nu: number, quarters: number): number {
  const blocks = (MORE_BLOCKS * paperBlocks(count) * Math.sqrt(NU / nu) * quarters) / QUARTERS;
  return blocks * paperMembers(count) * count;
}

/** What the forces of a sphere are, as Hermite's fourth-order scheme asks for them. */
export function forcesOf(particles: ParticleSet) {
  const scenario = scenarioOf(particles.count);
  return { order: "jerk" as const, softening: scenario.direct.softening, bodies: bodiesOf(particles, scenario) };
}

/** Seconds of an interaction, in blocks of `members`: of the usual size by default. */
export function interactionSeconds(
  engine: Engine,
  particles: ParticleSet,
  context: MeasurementContext,
  members = Math.max(1, Math.round(paperMembers(particles.count))),
): Promise<number> {
  return pairSeconds(engine, forcesOf(particles), members, context);
}

/** Σ ½mφ of the particles as they are, without softening [energy]. */
async function potentialEnergy(gpu: GpuContext, particles: ParticleSet, scenario: Scenario): Promise<number> {
  const { count, masses } = particles;
  const bodies = bodiesOf(particles, scenario);
  return releasing(new ForceBench(gpu, { order: "acceleration", softening: 0, bodies }), async (bench) => {
    await bench.seconds({ precision: "single" });
    const { potentials } = unpackForces("acceleration", await gpu.read(bench.result), count);
    return potentials.reduce((sum, potential, i) => sum + 0.5 * masses[i] * potential, 0);
  });
}

/**
 * The particles at rest about the centre of the box in standard units, in which a cluster in virial equilibrium has the
 * potential energy −1/2 and the kinetic 1/4 (Heggie & Mathieu 1986; G = M = 1). `potential`: theirs as they are.
 */
export function toStandardUnits(particles: ParticleSet, potential: number, boxSize: number): ParticleSet {
  const { masses, positions, velocities } = particles;
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  const mean = (vectors: ArrayLike<number>) =>
    [0, 1, 2].map((axis) => masses.reduce((sum, mass, i) => sum + mass * vectors[3 * i + axis], 0) / total);
  const [centre, drift] = [mean(positions), mean(velocities)];
  const own = Float64Array.from(velocities, (v, k) => v - drift[k % 3]);
  const kinetic = own.reduce((sum, v, k) => sum + 0.5 * masses[Math.floor(k / 3)] * v * v, 0);
  const [length, speed] = [potential / -0.5, Math.sqrt(0.25 / kinetic)];
  return {
    ...particles,
    positions: positions.map((x, k) => boxSize / 2 + length * (x - centre[k % 3])),
    velocities: own.map((v) => speed * v),
  };
}

const spheres = keepingLast<ParticleSet>();

/** The sphere of so many particles, the same for all engines. */
export function sphereOf(count: number, { gpu, signal }: MeasurementContext): Promise<ParticleSet> {
  return spheres(String(count), async () => {
    const scenario = scenarioOf(count);
    const asDrawn = await drawn(scenario, signal);
    return toStandardUnits(asDrawn, await potentialEnergy(gpu, asDrawn, scenario), scenario.box.size);
  });
}

/** Makes a run, unless it would take too long. */
export async function quarterOf(run: Run, context: MeasurementContext): Promise<RunPart | LeftOut> {
  const { count, engine, nu, before, longest } = run;
  const { gpu, signal } = context;
  const reason = await unable(gpu, engine);
  if (reason) return reason;
  const pair = await interactionSeconds(engine, await drawn(scenarioOf(count), signal), context);
  const estimate = pair * expectedPairs(count, nu, before + 1);
  if (estimate > longest) return tooLong(estimate);
  const scenario = scenarioOf(count, engine, nu);
  const steps = 1 / QUARTERS / largestStep(scenario);
  const part = { before: before * steps, steps, longest, ends: false, runs: before > 0 ? RUNS : 1 };
  return timedRun({ engine, scenario, particles: await sphereOf(count, context), ...part }, context);
}
