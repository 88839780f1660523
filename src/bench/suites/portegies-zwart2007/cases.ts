/**
 * What the suite `portegies-zwart2007` varies (Portegies Zwart, Belleman & Geldof 2007, section 4): Plummer spheres of 256
 * to 65536 particles, scaled to virial equilibrium, and how they are computed. Block steps of Hermite's fourth-order
 * scheme, ε = 1/256, largest step 1/8: the deck plummer-hermite.
 */

import { unitSystem } from "../../../deck/units.ts";
import { type BodyArrays, forceBytes, packBodies, unpackForces } from "../../../direct/bodies.ts";
import { DirectForces } from "../../../direct/forces.ts";
import type { GpuContext } from "../../../gpu/context.ts";
import { initialConditions } from "../../../initial/index.ts";
import type { ParticleSet } from "../../../particles/state.ts";
import { loadScenario } from "../../../run/scenario-source.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import type { SuiteSettings } from "../suite.ts";

/** Numbers of particles of table 2 up to where all the paper's machines were measured. */
export const COUNTS: readonly number[] = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/** How a run is computed: on the GPU in single precision, as the paper's, or in pairs of float32; on the CPU in float64. */
export const ENGINES = ["single", "double-single", "cpu"] as const;
export type Engine = (typeof ENGINES)[number];

export const ENGINE_NAMES: Record<Engine, string> = {
  single: "GPU, single",
  "double-single": "GPU, double-single",
  cpu: "CPU, float64",
};

/** ν of the paper's performance measurements. */
export const NU = 0.01;

export interface Energies {
  /** Numbers of particles for the energy against ν (figure 2). */
  counts: readonly number[];
  /** From coarse to fine. */
  nus: readonly number[];
}

export function energies({ quick }: SuiteSettings): Energies {
  const all = Array.from({ length: 9 }, (_, k) => 0.1 / 2 ** k);
  return quick ? { counts: [1024], nus: all.filter((_, k) => k % 2 === 0) } : { counts: [1024, 16_384], nus: all };
}

export function scenarioOf(count: number, engine: Engine = "double-single", nu = NU): Scenario {
  const overrides = [
    `particles.plummer.count=${count}`,
    `direct.nu=${nu}`,
    ...(engine === "cpu" ? [] : [`direct.precision=${engine}`]),
  ];
  return loadScenario("plummer-hermite", overrides).scenario;
}

/** The largest step of a scenario [time]; a direct sum has one. */
export function largestStep({ time }: Scenario): number {
  if (typeof time.step !== "number") throw new Error("the suite's deck has a fixed largest step");
  return time.step;
}

/** As drawn, box coordinates. */
export async function drawnSphere(count: number, signal: AbortSignal): Promise<ParticleSet> {
  const scenario = scenarioOf(count);
  const { particles } = await initialConditions(scenario, { G: unitSystem(scenario.units.system).G, signal });
  return particles;
}

/** Particles as records of a direct sum, about the centre of the box; G = 1. */
export function bodiesOf({ count, positions, velocities, masses }: ParticleSet, boxSize: number): BodyArrays {
  const ids = Uint32Array.from({ length: count }, (_, i) => i);
  return { count, positions: positions.map((x) => x - boxSize / 2), velocities, masses, ids };
}

/** Σ ½mφ of the particles as they are, without softening [energy]. */
async function potentialEnergy(gpu: GpuContext, particles: ParticleSet, boxSize: number): Promise<number> {
  const { count, masses } = particles;
  const forces = await DirectForces.create(gpu, { order: "acceleration", precision: "single", softening: 0 });
  const packed = new Uint8Array(packBodies("acceleration", bodiesOf(particles, boxSize)));
  const bodies = gpu.buffers.upload("bodies", packed, "particles");
  const result = gpu.buffers.storage("forces", count * forceBytes("acceleration"), "particles");
  try {
    const batch = gpu.batch("potential of the sphere").stage("force");
    const all = { targets: bodies, targetCount: count, sources: bodies, sourceCount: count };
    forces.encode(batch, { ...all, result });
    await batch.submit();
    const { potentials } = unpackForces("acceleration", await gpu.read(result), count);
    return potentials.reduce((sum, potential, i) => sum + 0.5 * masses[i] * potential, 0);
  } finally {
    forces.destroy();
    gpu.buffers.release(bodies, result);
  }
}

/**
 * The particles at rest about the centre of the box in standard units, in which a cluster in virial equilibrium has the
 * potential energy −1/2 and the kinetic 1/4 (Heggie & Mathieu 1986; G = M = 1). `potential`: theirs as they are.
 */
export function toStandardUnits(particles: ParticleSet, potential: number, boxSize: number): ParticleSet {
  const { count, masses, positions, velocities } = particles;
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
    velocities: Float32Array.from({ length: 3 * count }, (_, k) => speed * own[k]),
  };
}

let last: { count: number; particles: ParticleSet } | undefined;

/** The sphere of so many particles, the same for all engines; that of the last number asked for is kept. */
export async function sphereOf(count: number, gpu: GpuContext, signal: AbortSignal): Promise<ParticleSet> {
  if (last?.count === count) return last.particles;
  last = undefined;
  const { box } = scenarioOf(count);
  const drawn = await drawnSphere(count, signal);
  last = { count, particles: toStandardUnits(drawn, await potentialEnergy(gpu, drawn, box.size), box.size) };
  return last.particles;
}
