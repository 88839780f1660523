/** Potentials registered from outside, one spherical and one not, on the GPU: kernels against float64, and whole orbits. */
import { describe, expect, it } from "vitest";
import { emptyForces } from "../../src/engine/direct/bodies.ts";
import { directUnits } from "../../src/engine/direct/units.ts";
import { addExternalForces } from "../../src/engine/reference/direct/external.ts";
import { parseScenario, registerPotential, Simulation } from "../../src/index.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { abortAfter, BOX, directRecords, directSettings, withDirect } from "../support/direct-pipeline.ts";
import { exactState, meshSettings, randomPositions } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { harmonic } from "../support/harmonic.ts";
import { logarithmic } from "../support/logarithmic.ts";
import { particleStage, referenceForces, relativeError, type StageCase } from "../support/particle-stage.ts";
import { particleSet } from "../support/particles.ts";
import { perParticle, readExact } from "../support/read-particles.ts";
import { sequence } from "../support/scenario-fixture.ts";

registerPotential(logarithmic);
registerPotential(harmonic);

const gpu = useGpu();

/** Two kinds from outside around one that ships, and one of them twice. */
const potentialsAbout = (x: number): ExternalPotential[] => [
  { kind: "round-logarithmic", centre: [x, x, x], parameters: { speed: 1.5, core: 0.3 } },
  { kind: "hernquist", centre: [x - 1.9, x + 1.9, x + 0.5], parameters: { mass: 2, scale: 0.7 } },
  { kind: "flat-harmonic", centre: [x + 0.5, x, x - 0.25], parameters: { speed: 1.2, radius: 2, flattening: 0.6 } },
  { kind: "round-logarithmic", centre: [x - 3, x, x], parameters: { speed: 0.5, core: 0.1 } },
];

describe("on the mesh", () => {
  it.each(["periodic", "isolated"] as Boundary[])(
    "acceleration and potential agree with float64, %s",
    async (boundary) => {
      const exact = exactState(randomPositions(2003, 12), boundary, (id) => (id % 5 === 0 ? packImage(1, -2, 0) : 0));
      exact.positions.fill(2 ** 31, 3, 6); // at the centre of the first
      const mesh = meshSettings(16, "cic");
      const given: StageCase = { mesh, boundary, exact, boxSize: 4, G: 1.5, externalPotentials: potentialsAbout(2) };
      const { accelerations, meshPotential, externalPotential } = referenceForces(given);
      const stage = await particleStage(gpu(), given);
      try {
        await stage.prepare();
        const found = await perParticle(gpu(), stage.particles, stage.diagnostics);
        expect(relativeError(found.accelerations, accelerations)).toBeLessThan(1e-6);
        const potential = meshPotential.map((phi, id) => phi + externalPotential[id]);
        expect(relativeError(found.potential, potential)).toBeLessThan(1e-6);
        await stage.leapfrog.encode(gpu().batch("update"), 0.25, 0).submit();
        const { velocities } = await readExact(gpu(), stage.particles);
        const expected = exact.velocities.map((v, i) => v + 0.25 * accelerations[i]);
        expect(relativeError(velocities, expected)).toBeLessThan(1e-6);
      } finally {
        stage.destroy();
      }
    },
  );
});

describe("in a direct sum", () => {
  it.each(["hermite-4", "hermite-6"] as const)("forces and derivatives agree with float64, %s", async (integrator) => {
    const random = sequence(3);
    const count = 70;
    const inBox = Array.from({ length: 3 * count }, () => BOX / 2 + 3 * (random() - 0.5));
    const velocities = Array.from({ length: 3 * count }, () => random() - 0.5);
    const externalPotentials = potentialsAbout(BOX / 2);
    inBox.fill(BOX / 2, 0, 3); // at the centre of the first
    // Of next to no mass, but enough for a unit of length of its own.
    const set = particleSet(inBox, velocities, new Array(count).fill(1e-12));
    const settings = directSettings({ integrator }, { externalPotentials, G: 2 });
    const { perLength } = directUnits(settings, 1e-12);
    expect(perLength).not.toBe(1);
    const bodies = {
      ...{ count, positions: set.positions, velocities: Float64Array.from(set.velocities) },
      ...{ accelerations: new Float64Array(3 * count), masses: set.masses, ids: new Uint32Array(count) },
    };
    const rows = Uint32Array.from({ length: count }, (_, i) => i);
    let out = emptyForces("snap", count);
    for (const order of ["jerk", "snap"] as const) {
      out = emptyForces("snap", count);
      for (const potential of externalPotentials) {
        addExternalForces({ order, potential, G: 2, bodies, out, rows, first: 0, last: count });
      }
      bodies.accelerations.set(out.accelerations);
    }
    await withDirect(gpu(), settings, set, async (pipeline) => {
      await expect(pipeline.advance(1, settings.step, { signal: abortAfter(0) })).rejects.toThrow(/stopped/);
      const records = directRecords(await pipeline.saveState(), count);
      const expected = [out.accelerations, out.jerks!, ...(integrator === "hermite-6" ? [out.snaps!] : [])];
      const found = [records.accelerations, ...records.higher];
      expected.forEach((values, order) => {
        const own = values.map((value) => value * perLength * settings.step ** (order + 2));
        for (let k = 0; k < 3 * count; k += 3) {
          const [here, there] = [found[order], own].map((all) => all.slice(k, k + 3));
          const error = Math.hypot(...here.map((value, axis) => value - there[axis]));
          expect(error).toBeLessThan(1e-5 * Math.hypot(...there));
        }
      });
    });
  });
});

describe("an orbit", () => {
  const deck = (gravity: string, kind: string) => `title = "An orbit"
gravity = "${gravity}"
box.size = 8
mesh.cells = 16
time = { end = 8, step = 0.01 }
direct = { softening = 0.01, steps = "shared" }
[[particles]]
kind = "uniform"
count = 1
mass = 1e-9
side = 0.5
offset = [1.5, 0, 0]
velocity = [0, 0.8, 0.2]
[[potential]]
kind = "${kind}"
speed = 1
${kind === "round-logarithmic" ? "core = 0.3" : "radius = 1\nflattening = 0.7"}`;

  it.each(
    ["round-logarithmic", "flat-harmonic"].flatMap((kind, k) =>
      (["mesh", "direct"] as const).map(
        (gravity, g) => ({ kind, gravity, backend: k === g ? "webgpu" : "cpu" }) as const,
      ),
    ),
  )("keeps its energy: $kind, $gravity, $backend", async ({ kind, gravity, backend }) => {
    const options = backend === "cpu" ? { backend } : { gpu: gpu() };
    const simulation = await Simulation.create(parseScenario(deck(gravity, kind)), options);
    try {
      expect(simulation.externalPotentials).toHaveLength(1);
      const { positions: start } = await simulation.readParticles();
      await simulation.advance();
      const { positions: end } = await simulation.readParticles();
      expect(Math.hypot(...end.map((x, k) => x - start[k]))).toBeGreaterThan(0.3);
      const { relativeEnergyError } = await simulation.diagnostics();
      expect(Math.abs(relativeEnergyError)).toBeLessThan(gravity === "mesh" ? 2e-3 : 1e-7);
    } finally {
      simulation.destroy();
    }
  });
});
