/**
 * What the suite `portegies-zwart2007` measures (Portegies Zwart, Belleman & Geldof 2007): a quarter of a time unit of
 * Plummer spheres scaled to virial equilibrium, on the GPU or the CPU (section 4), with block steps of Hermite's
 * fourth-order scheme, ε = 1/256, largest step 1/8: the deck plummer-hermite; and the costs of table 3.
 */

import { packBodies, RECORD_BYTES, unpackForces } from "../../../../engine/direct/bodies.ts";
import { releasing } from "../../../../foundation/base/releasing.ts";
import type { GpuContext } from "../../../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../../../physics/particles/state.ts";
import type { Scenario } from "../../../../scenario/scenario.ts";
import type { LeftOut, MeasurementContext } from "../../../spec.ts";
import { bodiesOf } from "../../direct.ts";
import { ForceBench } from "../../force-timing.ts";
import { particlesOf } from "../../stages.ts";
import { inTurns, keepingLast, secondsOf } from "../../timing.ts";
import {
  backendOf,
  largestStep,
  pairSeconds,
  type RunPart,
  type SumEngine,
  sphereScenario,
  timedRun,
  unable,
} from "../hermite.ts";
import { paperBlocks, paperMembers } from "./published.ts";

/** ν of the paper's performance measurements. */
export const NU = 0.01;

export const scenarioOf = (count: number, engine: SumEngine = "double-single", nu = NU): Scenario =>
  sphereScenario(count, engine, [`nu=${nu}`]);

export interface Run {
  count: number;
  engine: SumEngine;
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
function forcesOf(particles: ParticleSet) {
  const scenario = scenarioOf(particles.count);
  return { order: "jerk" as const, softening: scenario.direct.softening, bodies: bodiesOf(particles, scenario) };
}

/** Seconds of an interaction, in blocks of the usual size. */
const interactionSeconds = (engine: SumEngine, particles: ParticleSet, context: MeasurementContext): Promise<number> =>
  pairSeconds(engine, forcesOf(particles), Math.max(1, Math.round(paperMembers(particles.count))), context);

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
    const asDrawn = await particlesOf(scenario, signal);
    return toStandardUnits(asDrawn, await potentialEnergy(gpu, asDrawn, scenario), scenario.box.size);
  });
}

/** Makes a run, unless it would take too long. */
export function quarterOf(run: Run, context: MeasurementContext): Promise<RunPart | LeftOut> {
  const { count, engine, nu, before, longest } = run;
  const scenario = scenarioOf(count, engine, nu);
  const estimate = async () => {
    const particles = await particlesOf(scenarioOf(count), context.signal);
    return (await interactionSeconds(engine, particles, context)) * expectedPairs(count, nu, before + 1);
  };
  const steps = 1 / QUARTERS / largestStep(scenario);
  const part = { before: before * steps, steps, longest, ends: false, runs: before > 0 ? RUNS : 1 };
  return timedRun({ engine, scenario, estimate, particles: () => sphereOf(count, context), ...part }, context);
}

/** What table 3 has, [s] each. */
export interface Costs {
  /** A force between two particles. */
  pair: number;
  /** On the CPU: predicting and correcting a particle. */
  host?: number;
  /** Sending a particle to the GPU and receiving its force, which a run doesn't do between blocks. */
  send?: number;
  receive?: number;
}

/** Sources of the forces on a GPU, and particles that are sent. */
const MANY = 16_384;
/** Particles of the step on the CPU. */
const FEW = 512;

export async function costsOf(engine: SumEngine, context: MeasurementContext): Promise<Costs | LeftOut> {
  if (engine === "cpu") return hostCosts(context);
  const reason = await unable(context.gpu, engine);
  if (reason) return reason;
  const particles = await particlesOf(scenarioOf(MANY), context.signal);
  const pair = await interactionSeconds(engine, particles, context);
  context.progress(0.5);
  return { pair, ...(await transferSeconds(particles, context)) };
}

const TRANSFERS = 3;

/** Sending body records to the GPU and receiving force records, of one particle [s]. */
async function transferSeconds(particles: ParticleSet, { gpu, signal }: MeasurementContext) {
  const { order, bodies } = forcesOf(particles);
  const { count } = particles;
  const packed = packBodies(order, bodies);
  const sent = gpu.buffers.storage("bodies sent", count * RECORD_BYTES[order], "other");
  const received = gpu.buffers.storage("forces received", count * RECORD_BYTES[order], "other");
  const sending = () => {
    gpu.device.queue.writeBuffer(sent, 0, packed);
    return gpu.wait(gpu.device.queue.onSubmittedWorkDone(), "sending bodies");
  };
  try {
    const jobs = [sending, () => gpu.read(received)].map((work) => () => secondsOf(work));
    // The first of each is slower than the others.
    const times = await inTurns(jobs, { repetitions: 1 + TRANSFERS, signal });
    const [send, receive] = times.map((seconds) => Math.min(...seconds) / count);
    return { send, receive };
  } finally {
    gpu.buffers.release(sent, received);
  }
}

/** A largest step of the reference pipeline, by the times of its stages. */
async function hostCosts(context: MeasurementContext): Promise<Costs> {
  const { gpu, signal, progress } = context;
  const scenario = scenarioOf(FEW, "cpu");
  const pipeline = await backendOf(gpu, "cpu", scenario, await sphereOf(FEW, context));
  const step = () => pipeline.advance(1, largestStep(scenario), { signal });
  const now = (): Record<string, number> => ({
    ...pipeline.counters!(),
    ...Object.fromEntries(pipeline.stageTimes().map(({ stage, ms }) => [stage, ms / 1000])),
  });
  await step(); // the compiler of the engine warms up
  progress(0.5);
  const before = now();
  await step();
  const after = now();
  const of = (name: string) => after[name] - before[name];
  return {
    host: of("predict") / (of("blocks") * FEW) + of("correct") / of("particle steps"),
    pair: of("force") / of("interactions"),
  };
}
