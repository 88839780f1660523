/** Components and statistics shared by the tests of the initial conditions. */

import { expect } from "vitest";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import type { exponential } from "../../src/physics/initial/exponential-disk.ts";
import type { ComponentOf, ParticleComponent } from "../../src/physics/initial/models.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { fixtureScenario } from "../support/scenario-fixture.ts";

const BASE = {
  offset: [0, 0, 0] as [number, number, number],
  velocity: [0, 0, 0] as [number, number, number],
  seed: 1,
  mass: 1,
  count: 1000,
};

/** A file that says all of itself. */
export const fromFile = (changes: Partial<ComponentOf<"snapshot">> = {}): ComponentOf<"snapshot"> => ({
  ...{ kind: "snapshot", name: "snapshot", species: "file", offset: [0, 0, 0], velocity: [0, 0, 0], seed: 0 },
  ...{
    file: "old.hdf5",
    format: "auto",
    units: "file",
    velocities: "file",
    header: "file",
    columns: [],
    frame: "only",
  },
  ...{ types: [], ids: "file", centre: false },
  ...changes,
});

/** The Plummer radius of Hénon units. */
export const HENON_RADIUS = (3 * Math.PI) / 16;

export const plummer = (changes: Partial<ComponentOf<"plummer">> = {}): ComponentOf<"plummer"> => ({
  ...BASE,
  kind: "plummer",
  name: "sphere",
  species: "stars",
  scale: HENON_RADIUS,
  cutoff: 7.5,
  anisotropyRadius: Number.POSITIVE_INFINITY,
  centre: false,
  rigid: false,
  ...changes,
});

export const hernquist = (changes: Partial<ComponentOf<"hernquist">> = {}): ComponentOf<"hernquist"> => ({
  ...BASE,
  kind: "hernquist",
  name: "halo",
  species: "halo",
  scale: 1,
  cutoff: 7.5,
  anisotropyRadius: Number.POSITIVE_INFINITY,
  centre: false,
  rigid: false,
  ...changes,
});

export const disk = (changes: Partial<ComponentOf<"exponential-disk">> = {}): ComponentOf<"exponential-disk"> => ({
  ...BASE,
  kind: "exponential-disk",
  name: "disk",
  species: "disk",
  scaleLength: 1,
  scaleHeight: 0.1,
  toomreQ: 1.2,
  sigma: 0,
  sigmaLength: 2 * (changes.scaleLength ?? 1),
  layer: "sech2",
  centre: false,
  cutoff: 7,
  ...changes,
});

export const uniform = (changes: Partial<ComponentOf<"uniform">> = {}): ComponentOf<"uniform"> => ({
  ...BASE,
  kind: "uniform",
  name: "gas cloud",
  species: "gas",
  velocityDispersion: 1,
  side: 16,
  ...changes,
});

/** Only what initial conditions read; the rest of the scenario is irrelevant to them. */
export function scenarioOf(particles: ParticleComponent[], size = 16, boundary: Boundary = "isolated"): Scenario {
  return { ...fixtureScenario(), box: { size, boundary }, particles };
}

/** Particles of the components in an isolated box, G = 1 unless given. */
export async function sampleOf(components: ParticleComponent[], size = 16, G = 1): Promise<ParticleSet> {
  return (await initialConditions(scenarioOf(components, size), { G })).particles;
}

/** Distance of every particle of a range from the centre of the box [N]. */
export function radiiOf(particles: ParticleSet, size: number, first = 0, count = particles.count): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => {
    const at = 3 * (first + i);
    return Math.hypot(...[0, 1, 2].map((axis) => particles.positions[at + axis] - size / 2));
  });
}

/** Kolmogorov–Smirnov statistic √N·D of a sample against a cumulative distribution; 1.95 is exceeded once in 1000. */
export function kolmogorovSmirnov(sample: Float64Array, cumulative: (x: number) => number): number {
  const sorted = sample.slice().sort();
  let distance = 0;
  for (let i = 0; i < sorted.length; i++) {
    const expected = cumulative(sorted[i]);
    distance = Math.max(distance, expected - i / sorted.length, (i + 1) / sorted.length - expected);
  }
  return distance * Math.sqrt(sorted.length);
}

/** Exceeded by √N·D once in 1000. */
export const KS_LIMIT = 1.95;

/** Mean and standard deviation. */
export function moments(values: number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

/** What a promise fails with. */
export async function failure(promise: Promise<unknown>): Promise<GravmeshError> {
  const error = await promise.then(
    () => null,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(GravmeshError);
  return error;
}

/** Particles about the axis of a box of side `size`. */
export function cylindrical({ positions, velocities, count }: ParticleSet, size: number) {
  const columns = () => new Float64Array(count);
  const out = { R: columns(), z: columns(), vR: columns(), vphi: columns(), vz: columns() };
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [0, 1, 2].map((axis) => positions[3 * i + axis] - size / 2);
    const [vx, vy, vz] = velocities.subarray(3 * i, 3 * i + 3);
    const R = Math.hypot(x, y);
    out.R[i] = R;
    out.z[i] = z;
    out.vR[i] = (x * vx + y * vy) / R;
    out.vphi[i] = (x * vy - y * vx) / R;
    out.vz[i] = vz;
  }
  return out;
}

type Kinematics = ReturnType<typeof exponential.kinematics>;

/** What the velocities of a disk follow, as functions of the cylindrical radius R [length]. */
export const motionsOf = ({ surfaceDensity, plane, stars, verticalDispersion }: Kinematics, G: number) => ({
  ...{ surfaceDensity, verticalDispersion, meanRotation: stars.meanRotation },
  circularSpeed: (R: number) => Math.sqrt(plane.speedSquared(R)),
  /** σ_R and σ_φ [velocity] */
  dispersions: (R: number): [number, number] => [stars.radialDispersion(R), stars.azimuthalDispersion(R)],
  toomreQ: (R: number) =>
    (stars.radialDispersion(R) * Math.sqrt(plane.kappaSquared(R))) / (3.36 * G * surfaceDensity(R)),
});
