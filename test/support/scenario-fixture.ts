/** A complete small scenario for tests of files, and particles that fit it. */

import { cosmologyDefaults } from "../../src/cosmology/settings.ts";
import { directDefaults } from "../../src/direct/settings.ts";
import { multigridPresets } from "../../src/mesh/multigrid-settings.ts";
import type { ParticleSet } from "../../src/particles/state.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";

export function fixtureScenario(): Scenario {
  const shared = { offset: [0, 0, 0] as [number, number, number], velocity: [0, 0, 0] as [number, number, number] };
  return {
    title: "Disk in a halo, Hénon units",
    reference: "Aubert, Amini & David 2009, section 3.1",
    expect: "Arms within a rotation.",
    gravity: "mesh",
    units: { system: "nbody" },
    box: { size: 16, boundary: "isolated" },
    mesh: {
      cells: 64,
      assignment: "cic",
      deposit: "auto",
      poisson: "fft",
      green: "exact",
      kernel: "truncated",
      gradient: "4-point",
    },
    multigrid: { preset: "default", ...multigridPresets.default },
    direct: { ...directDefaults },
    cosmology: { ...cosmologyDefaults },
    particles: [
      {
        kind: "plummer",
        name: "halo",
        species: "halo",
        count: 5,
        mass: 1,
        scale: 1,
        cutoff: Number.POSITIVE_INFINITY,
        anisotropyRadius: Number.POSITIVE_INFINITY,
        rigid: false,
        seed: 1,
        ...shared,
      },
      {
        kind: "exponential-disk",
        name: "thin disk",
        species: "disk",
        count: 4,
        mass: 0.1,
        scaleLength: 1,
        scaleHeight: 0.1,
        toomreQ: 1.2,
        sigma: 0,
        sigmaLength: 2,
        layer: "sech2",
        cutoff: 5,
        seed: 2,
        ...shared,
      },
      {
        kind: "plummer",
        name: "companion",
        species: "halo",
        count: 3,
        mass: 0.3,
        scale: 0.5,
        cutoff: 5,
        anisotropyRadius: Number.POSITIVE_INFINITY,
        rigid: false,
        seed: 3,
        ...shared,
      },
    ],
    galaxy: [],
    potential: [],
    time: {
      clock: "static",
      start: 0,
      spacing: "a",
      factors: "growth-corrected",
      end: 1,
      continued: [],
      step: 0.01,
      accuracy: 0.3,
      courant: 0.5,
      maxStep: 0.1,
      maxEnergyError: 1,
    },
    orbits: { ids: [], sample: 0, components: [], seed: 1, every: 1 },
    subsample: { every: 0, count: 100, times: [], fields: ["positions", "velocities", "ids", "masses"] },
    maps: {
      count: 0,
      times: [],
      axes: ["z"],
      by: "all",
      width: 400,
      height: 400,
      span: 16,
      centre: [0, 0, 0],
      components: [],
    },
    bars: {
      ...{
        count: 0,
        every: 0,
        times: [],
        components: [],
        radius: 4,
        rings: 40,
        spacing: "linear",
        height: 4,
        within: 2,
        normal: [0, 0, 1],
      },
      ...{ window: 9, multipoles: false, velocityMaps: [], pixels: 100 },
    },
    output: {
      ...{ redshifts: [], powerSpectra: false, haloes: false, linkingLength: 0.2, leastMembers: 20 },
      ...{ every: 0, diagnosticsEvery: 0, diagnosticsTimes: [] },
      snapshots: 2,
      diagnostics: 10,
      frames: 0,
      checkpointMinutes: 0,
      potential: true,
      fields: ["positions", "velocities", "ids", "masses"],
      particlesPerFile: 2 ** 27,
      times: [],
      compression: 0,
    },
  };
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
