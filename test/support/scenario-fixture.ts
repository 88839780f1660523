/** A complete small scenario for tests of files, and particles that fit it. */

import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";

export function fixtureScenario(): Scenario {
  return completeScenario({
    title: "Disk in a halo, Hénon units",
    reference: "Aubert, Amini & David 2009, section 3.1",
    expect: "Arms within a rotation.",
    box: { size: 16 },
    mesh: { cells: 64, kernel: "truncated" },
    particles: [
      { kind: "plummer", name: "halo", species: "halo", count: 5, scale: 1, cutoff: 7.5 },
      {
        kind: "exponential-disk",
        name: "thin disk",
        count: 4,
        mass: 0.1,
        scaleLength: 1,
        scaleHeight: 0.1,
        toomreQ: 1.2,
        cutoff: 5,
      },
      { kind: "plummer", name: "companion", species: "halo", count: 3, mass: 0.3, scale: 0.5, cutoff: 5 },
    ],
    time: { end: 1, step: 0.01, accuracy: 0.3, maxStep: 0.1 },
    output: { snapshots: 2, diagnostics: 10, checkpointMinutes: 0, potential: true },
  });
}

/** A fixed pseudo-random sequence in [0, 1): the tests need variety, not quality. */
export function sequence(seed = 1): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Particles for fixtureScenario(): halo 5, disk 4, companion 3 with masses that differ; box of side `size`. */
export function fixtureParticles(size = 16): ParticleSet & { potential: Float32Array } {
  const random = sequence(7);
  const count = 12;
  const masses = new Float64Array(count);
  masses.fill(0.2, 0, 5).fill(0.025, 5, 9);
  masses.set([0.05, 0.1, 0.15], 9);
  return {
    count,
    positions: Float64Array.from({ length: 3 * count }, () => Math.floor(random() * 2 ** 32) * (size / 2 ** 32)),
    velocities: Float32Array.from({ length: 3 * count }, () => random() - 0.5),
    masses,
    potential: Float32Array.from({ length: count }, () => -random()),
    components: [
      { name: "halo", species: "halo", first: 0, count: 5 },
      { name: "thin disk", species: "disk", first: 5, count: 4 },
      { name: "companion", species: "halo", first: 9, count: 3 },
    ],
  };
}
