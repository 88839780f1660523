/** Particle sets for tests of the pipelines. */
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { fixtureScenario, sequence } from "./scenario-fixture.ts";

/** A Plummer sphere in Hénon units (G = M = 1, a = 3π/16) at the centre of a box. */
export async function plummerSphere(count: number, boxSize: number, seed = 1): Promise<ParticleSet> {
  const scenario = fixtureScenario();
  scenario.box.size = boxSize;
  scenario.particles = [
    {
      kind: "plummer",
      name: "sphere",
      species: "stars",
      offset: [0, 0, 0],
      velocity: [0, 0, 0],
      seed,
      count,
      mass: 1,
      scale: (3 * Math.PI) / 16,
      cutoff: 0.4 * boxSize,
      anisotropyRadius: Number.POSITIVE_INFINITY,
      centre: false,
      rigid: false,
    },
  ];
  return (await initialConditions(scenario, { G: 1 })).particles;
}

/** Particles of given positions and velocities; equal masses that sum to 1 unless given. */
export function particleSet(positions: number[], velocities: number[], masses?: number[]): ParticleSet {
  const count = positions.length / 3;
  return {
    count,
    positions: Float64Array.from(positions),
    velocities: Float32Array.from(velocities),
    masses: Float64Array.from(masses ?? new Array(count).fill(1 / count)),
    components: [{ name: "particles", species: "stars", first: 0, count }],
  };
}

/** Uniform random particles over the box, at rest, with masses between 0.5 and 1.5 over the count. */
export function randomParticles(count: number, boxSize: number, seed = 1): ParticleSet {
  const random = sequence(seed);
  const positions = Array.from({ length: 3 * count }, () => boxSize * random());
  const masses = Array.from({ length: count }, () => (0.5 + random()) / count);
  return particleSet(positions, new Array(3 * count).fill(0), masses);
}
