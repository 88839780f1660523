/** Direct summation in float64 as a backend: state, resume and abort within a step, sums, counters, errors. */
import { describe, expect, it } from "vitest";
import type { IntegratorName } from "../../src/engine/direct/integrators.ts";
import type { StepScheme } from "../../src/engine/direct/settings.ts";
import { directForces } from "../../src/engine/reference/direct/forces.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { firstDifference } from "../support/compare.ts";
import { directPipelineSettings, exactDirect, exactPhaseSpace } from "../support/direct-reference.ts";
import { particleSet, plummerSphere, randomParticles } from "../support/particles.ts";

const INTEGRATORS: IntegratorName[] = ["leapfrog", "hermite-4", "hermite-6"];
const SCHEMES: StepScheme[] = ["shared", "adaptive", "block"];
const CASES = INTEGRATORS.flatMap((integrator) => SCHEMES.map((steps) => ({ integrator, steps })));

const STEP = 1 / 16;

function settings(integrator: IntegratorName, steps: StepScheme, changes: object = {}) {
  const box = {
    boxSize: 8,
    externalPotentials: [
      {
        kind: "hernquist" as const,
        centre: [4, 4, 4.5] as [number, number, number],
        parameters: { mass: 0.5, scale: 1 },
      },
    ],
  };
  return directPipelineSettings({ integrator, steps, softening: 1 / 64, nu: 0.02, eta: 0.2 }, STEP, {
    ...box,
    ...changes,
  });
}

/** A signal that is aborted from the n-th look at it. */
function abortedAtLook(n: number): AbortSignal {
  let looks = 0;
  return {
    get aborted() {
      looks += 1;
      return looks >= n;
    },
  } as AbortSignal;
}

async function expectSameState(a: ReferenceDirect, b: ReferenceDirect): Promise<void> {
  const [first, second] = [(await a.saveState()).arrays, (await b.saveState()).arrays];
  expect(Object.keys(first)).toEqual(Object.keys(second));
  for (const name of Object.keys(first))
    expect([name, firstDifference(first[name], second[name])]).toEqual([name, "same"]);
}

describe.each(CASES)("$integrator, $steps steps", ({ integrator, steps }) => {
  it("repeats the same bits, and continues with them from saved state, read out or not", async () => {
    const particles = await plummerSphere(61, 8);
    const uninterrupted = new ReferenceDirect(settings(integrator, steps), particles);
    await uninterrupted.advance(4, STEP);

    const first = new ReferenceDirect(settings(integrator, steps), particles);
    await first.sums();
    await first.advance(1, STEP);
    await first.advance(1, STEP);
    await first.extremes();
    await first.readParticles({ accelerations: true });
    const saved = structuredClone(await first.saveState());
    // Masses are the scenario's; everything else comes with the state.
    const elsewhere = { ...particles, positions: particles.positions.map((x) => 8 - x) };
    const resumed = new ReferenceDirect(settings(integrator, steps), elsewhere);
    await resumed.restoreState(saved);
    await resumed.advance(2, STEP);
    await expectSameState(resumed, uninterrupted);
    expect(saved.format).toBe("direct-cpu-1");
    expect([...(await resumed.saveState()).arrays.clock]).toEqual([4, 0, 1]);
  });
});

describe("within a largest step", () => {
  it.each(INTEGRATORS)(
    "stops where it is told to, and finishes the step first: the same bits (%s)",
    async (integrator) => {
      const particles = await plummerSphere(61, 8);
      const uninterrupted = new ReferenceDirect(settings(integrator, "block"), particles);
      const blocksAfter = async () => {
        await uninterrupted.advance(1, STEP);
        return uninterrupted.counters().blocks;
      };
      const [first, second] = [await blocksAfter(), await blocksAfter()];
      await uninterrupted.advance(1, STEP);

      const stopped = new ReferenceDirect(settings(integrator, "block"), particles);
      // One look before the start and one before every block.
      const atBlock = Math.ceil((first + second) / 2) + 2;
      await expect(stopped.advance(3, STEP, { signal: abortedAtLook(atBlock) })).rejects.toThrow(
        expect.objectContaining({
          kind: "aborted",
          message: expect.stringMatching(/stopped after 1\.\d+ largest steps/),
        }),
      );
      const saved = structuredClone(await stopped.saveState());
      const [done, now] = saved.arrays.clock;
      expect(done).toBe(1);
      expect(now).toBeGreaterThan(0);
      // Reading out in mid-step changes nothing.
      await stopped.sums();
      await stopped.readParticles({ potential: true });

      const resumed = new ReferenceDirect(settings(integrator, "block"), particles);
      await resumed.restoreState(saved);
      for (const backend of [stopped, resumed]) {
        await expect(backend.advance(2, 2 * STEP)).rejects.toThrow(
          "a step of 0.0625 has been begun, found a step of 0.125",
        );
        // Of three steps one was done: the one begun counts as the first of the two that are left.
        const progress: number[] = [];
        await backend.advance(2, STEP, { onProgress: (steps) => progress.push(steps) });
        expect(progress.at(-1)).toBe(2);
        expect(progress).toContain(1);
        await expectSameState(backend, uninterrupted);
      }
    },
  );

  it("reads out all particles at one time", async () => {
    const orbiting = {
      positions: [1, 0, 0, -1, 0, 0, 400, 0, 0],
      velocities: [0, 0.5, 0, 0, -0.5, 0, 0, 0, 0],
      masses: [1, 1, 0],
    };
    const backend = await exactDirect(directPipelineSettings({ nu: 1e-4 }, 1), orbiting);
    await expect(backend.advance(1, 1, { signal: abortedAtLook(60) })).rejects.toThrow("stopped");
    const { clock, times } = (await backend.saveState()).arrays;
    const time = clock[1] / 2 ** 30;
    // The particle far out has the largest step, and is read ahead of its own time.
    expect(times[2]).toBe(0);
    expect(time).toBeGreaterThan(0);
    const { positions, velocities } = await backend.readParticles();
    expect(positions[6]).toBeCloseTo(400 - (2 / 400 ** 2) * (time ** 2 / 2), 8);
    expect(velocities[6] / (-(2 / 400 ** 2) * time)).toBeCloseTo(1, 4);
    // The pair is on its circle, at distance 1 from the centre at angle t/2.
    expect(positions[0]).toBeCloseTo(Math.cos(time / 2), 6);
    expect(positions[1]).toBeCloseTo(Math.sin(time / 2), 6);
  });

  it("does nothing when it is told to stop at once, or to do no steps", async () => {
    const backend = new ReferenceDirect(settings("hermite-4", "block"), randomParticles(5, 8));
    const before = await backend.saveState();
    await expect(backend.advance(3, STEP, { signal: AbortSignal.abort() })).rejects.toThrow(
      "stopped after 0 largest steps",
    );
    await backend.advance(0, STEP);
    expect(await backend.saveState()).toEqual(before);
  });
});

describe("direct summation as a backend", () => {
  it("has the sums of the particles as they are", async () => {
    const particles = await plummerSphere(100, 8);
    const plain = settings("hermite-4", "block", { G: 2 });
    const backend = new ReferenceDirect(plain, particles);
    const { count, positions, velocities, masses } = particles;
    const bodies = { count, positions, masses: masses.map((m) => 2 * m), ids: Uint32Array.from(masses.keys()) };
    const forces = directForces({ order: "acceleration", softening: 1 / 64, targets: bodies, sources: bodies });
    const field = Array.from({ length: count }, (_, i) => {
      const from = [positions[3 * i] - 4, positions[3 * i + 1] - 4, positions[3 * i + 2] - 4.5];
      const r = Math.hypot(...from);
      for (let axis = 0; axis < 3; axis++)
        forces.accelerations[3 * i + axis] -= (2 * 0.5 * from[axis]) / (r * (r + 1) ** 2);
      return (-2 * 0.5) / (r + 1);
    });
    const over = (term: (i: number) => number) =>
      Array.from(masses.keys(), term).reduce((sum, value) => sum + value, 0);
    const sums = await backend.sums();
    expect(sums.kinetic).toBeCloseTo(
      over((i) => 0.5 * masses[i] * Math.hypot(...velocities.subarray(3 * i, 3 * i + 3)) ** 2),
      13,
    );
    expect(sums.potential).toBeCloseTo(
      over((i) => masses[i] * (0.5 * forces.potentials[i] + field[i])),
      12,
    );
    expect(sums.centreOfMass[0]).toBeCloseTo(over((i) => masses[i] * positions[3 * i]) / sums.mass, 12);
    const spin = (i: number) =>
      (positions[3 * i] - 4) * velocities[3 * i + 1] - (positions[3 * i + 1] - 4) * velocities[3 * i];
    expect(sums.angularMomentum[2]).toBeCloseTo(
      over((i) => masses[i] * spin(i)),
      12,
    );
    expect(sums.outside).toBe(0);
    expect(sums.lagrangianRadii[3]).toBeGreaterThan(0.5);

    const read = await backend.readParticles({ potential: true, accelerations: true });
    const close = (found: ArrayLike<number>, expected: ArrayLike<number>) =>
      Math.max(...Array.from(found, (value, i) => Math.abs(value - expected[i]) / (1 + Math.abs(expected[i]))));
    expect(close(read.accelerations!, forces.accelerations)).toBeLessThan(1e-7);
    expect(
      close(
        read.potential!,
        forces.potentials.map((phi, i) => phi + field[i]),
      ),
    ).toBeLessThan(1e-7);
    expect(close(read.positions, positions)).toBeLessThan(1e-15);
    expect(firstDifference(read.velocities, velocities)).toBe("same");
    const sizes = Array.from({ length: count }, (_, i) =>
      Math.hypot(...forces.accelerations.subarray(3 * i, 3 * i + 3)),
    );
    expect((await backend.extremes()).acceleration).toBeCloseTo(Math.max(...sizes), 10);
    expect((await backend.readParticles()).potential).toBeUndefined();
  });

  it("keeps particles that are outside of the box, where it began and where they go", async () => {
    const particles = particleSet([4, 4, 4, 11, 4, 4], [0, 0, 0, 4, 0, 0]);
    const backend = new ReferenceDirect(settings("leapfrog", "shared", { externalPotentials: [] }), particles);
    await backend.advance(16, STEP);
    const { positions } = await backend.readParticles();
    expect(positions[3]).toBeCloseTo(15, 1);
    expect((await backend.sums()).outside).toBe(0);
  });

  it("counts blocks, steps and interactions, and the time of its stages", async () => {
    const particles = randomParticles(20, 8);
    const shared = new ReferenceDirect(settings("hermite-6", "shared"), particles);
    await shared.advance(3, STEP);
    // Two force passes to start.
    expect(shared.counters()).toEqual({ blocks: 3, "particle steps": 60, interactions: (3 + 2) * 400 });
    await shared.sums();
    expect(shared.counters().interactions).toBe(2000);
    const stages = shared.stageTimes();
    expect(stages.map(({ stage }) => stage)).toEqual(["predict", "force", "correct", "diagnostics"]);
    expect(stages[1]).toEqual({ stage: "force", ms: expect.any(Number), count: 5 });

    const block = new ReferenceDirect(settings("hermite-4", "block"), await plummerSphere(20, 8));
    await block.advance(3, STEP);
    const { blocks, "particle steps": steps, interactions } = block.counters();
    expect(steps).toBeGreaterThan(blocks);
    expect(steps).toBeLessThan(20 * blocks);
    expect(interactions).toBe(20 * steps + 400);
    const { total, particles: held, mesh, other } = block.memory();
    expect(mesh).toBe(0);
    expect(total).toBe(held + other);
    expect(held).toBeGreaterThan(20 * 8 * 3 * 6);
  });

  it("lets other work have its turn during a long force", async () => {
    const backend = new ReferenceDirect(settings("hermite-4", "shared"), randomParticles(2500, 8));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await backend.advance(1, STEP);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it("chooses the steps anew when the largest one changes", async () => {
    const particles = randomParticles(20, 8);
    const backend = new ReferenceDirect(settings("hermite-4", "adaptive"), particles);
    await backend.advance(1, STEP);
    const before = backend.counters().blocks;
    await backend.advance(1, 8 * STEP);
    expect(backend.counters().blocks - before).toBeGreaterThan(before);
  });

  it("refuses state of another backend, integrator or particle count", async () => {
    const backend = new ReferenceDirect(settings("hermite-6", "block"), randomParticles(10, 8));
    const state = await backend.saveState();
    await expect(backend.restoreState({ ...state, format: "cpu-1" })).rejects.toThrow(
      'expected state of direct summation on the CPU ("direct-cpu-1"), found "cpu-1"',
    );
    const other = new ReferenceDirect(settings("hermite-6", "block"), randomParticles(9, 8));
    await expect(other.restoreState(state)).rejects.toThrow("expected 27 numbers of positions, found 30");
    const simpler = new ReferenceDirect(settings("hermite-4", "block"), randomParticles(10, 8));
    await expect(backend.restoreState(await simpler.saveState())).rejects.toThrow(
      "expected 30 numbers of snaps, found 0",
    );
    // A refused state leaves what was there.
    expect(await backend.saveState()).toEqual(state);
  });

  it("names the particle when a number stops being one, and when a step gets too short", async () => {
    const particles = randomParticles(10, 8);
    particles.velocities[3 * 7] = Number.NaN;
    const lost = new ReferenceDirect(settings("hermite-4", "block"), particles);
    await expect(lost.advance(1, STEP)).rejects.toThrow(expect.objectContaining({ kind: "numerical" }));

    const collision = { positions: [1, 0, 0, -1, 0, 0], velocities: [0, 0, 0, 0, 0, 0], masses: [1, 1] };
    const backend = await exactDirect(directPipelineSettings({}, 1), collision);
    await expect(backend.advance(4, 1)).rejects.toThrow(
      expect.objectContaining({
        kind: "numerical",
        message: expect.stringMatching(/time 2\.2\d*: the step of particle [01] fell below 9\.31e-10/),
      }),
    );
  });

  it("moves a lone particle and ones without mass", async () => {
    for (const { integrator, steps } of CASES) {
      const free = directPipelineSettings({ integrator, steps, softening: 0.01 }, 0.25);
      const alone = await exactDirect(free, { positions: [1, 2, 3], velocities: [1, 0, -2], masses: [1] });
      await alone.advance(4, 0.25);
      expect([...(await exactPhaseSpace(alone)).positions]).toEqual([2, 2, 1]);
      const massless = await exactDirect(free, {
        positions: [0, 0, 0, 0, 0, 0],
        velocities: [1, 0, 0, 0, 1, 0],
        masses: [0, 0],
      });
      await massless.advance(4, 0.25);
      expect([...(await exactPhaseSpace(massless)).positions]).toEqual([1, 0, 0, 0, 1, 0]);
    }
  });
});
