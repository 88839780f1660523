/**
 * The integrators' kernels against the float64 ones: predictor, corrector given the same forces, first steps, external
 * fields; and what a direct sum refuses.
 */
import { describe, expect, it } from "vitest";
import { BlockLoop } from "../../src/engine/direct/block-loop.ts";
import { emptyForces } from "../../src/engine/direct/bodies.ts";
import { LARGEST_TICKS } from "../../src/engine/direct/control.ts";
import { DirectForces } from "../../src/engine/direct/forces.ts";
import type { Orbits } from "../../src/engine/direct/integrators/integrator.ts";
import type { IntegratorName } from "../../src/engine/direct/integrators.ts";
import { integrators } from "../../src/engine/direct/integrators.ts";
import { DirectState } from "../../src/engine/direct/state.ts";
import { directUnits } from "../../src/engine/direct/units.ts";
import { addExternalForces } from "../../src/engine/reference/direct/external.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import {
  abortAfter,
  BOX,
  type DirectRecords,
  directRecords,
  directSettings,
  withDirect,
} from "../support/direct-pipeline.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();

const INTEGRATORS: IntegratorName[] = ["leapfrog", "hermite-4", "hermite-6"];
const FIELDS: ExternalPotential[] = [
  { kind: "plummer", centre: [20.5, 19, 20], parameters: { mass: 0.7, scale: 0.3 } },
  { kind: "hernquist", centre: [20, 20.25, 21], parameters: { mass: 1.3, scale: 0.8 } },
];
/** A pair carries 48 bits, of which sums of several terms lose a few. */
const PAIR = 2 ** -44;

/** Largest |a − b|. */
function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k] - b[k]));
  return most;
}

const size = (a: ArrayLike<number>): number => apart(a, new Float64Array(a.length));

function orbitsOf(integrator: IntegratorName, { positions, velocities, accelerations, higher }: DirectRecords): Orbits {
  const none = new Float64Array(0);
  const [jerks = none, snaps = none, crackles = none] = integrator === "leapfrog" ? [] : higher;
  return { positions, velocities, accelerations, jerks, snaps, crackles };
}

function bodiesFor(count: number) {
  const vectors = () => new Float64Array(3 * count);
  const ids = Uint32Array.from({ length: count }, (_, i) => i);
  return {
    count,
    positions: vectors(),
    velocities: vectors(),
    accelerations: vectors(),
    masses: new Float64Array(count),
    ids,
  };
}

describe.each(INTEGRATORS)("the corrector of %s", (integrator) => {
  it.each(["single", "double-single"] as const)(
    "is the float64 one to a pair's precision, forces in %s",
    async (precision) => {
      const count = 37;
      const set = await plummerSphere(count, BOX);
      const settings = directSettings(
        { integrator, steps: "shared", precision, softening: 0.05 },
        { step: 1 / 64, externalPotentials: FIELDS },
      );
      await withDirect(gpu(), settings, set, async (pipeline) => {
        await pipeline.advance(1, settings.step);
        const before = directRecords(await pipeline.saveState(), count);
        await pipeline.advance(1, settings.step);
        const after = directRecords(await pipeline.saveState(), count);
        // In the pipeline's units the step is 1, and the forces of the step are the derivatives after it.
        const reference = integrators[integrator].float64(settings.direct);
        const orbits = orbitsOf(integrator, before);
        const predicted = bodiesFor(count);
        const [jerks, snaps] = after.higher;
        const forces = { accelerations: after.accelerations, potentials: new Float64Array(count), jerks, snaps };
        // Changes of the jerk and sums of the snap enter the velocity in float32.
        let inFloat32 = integrator === "leapfrog" ? 0 : 0.1 * apart(before.higher[0], jerks);
        if (integrator === "hermite-6") inFloat32 += 0.02 * size(snaps);
        for (let i = 0; i < count; i++) {
          reference.predict(orbits, i, 1, predicted);
          reference.correct(orbits, i, 1, { predicted, forces }, i);
        }
        expect(size(orbits.velocities)).toBeGreaterThan(0);
        expect(apart(after.positions, orbits.positions) / size(orbits.positions)).toBeLessThan(PAIR);
        const allowed = PAIR * size(orbits.velocities) + 2 ** -23 * inFloat32;
        expect(apart(after.velocities, orbits.velocities)).toBeLessThan(allowed);
        if (integrator === "hermite-6") {
          // A difference of accelerations, which float32 rounds before they cancel.
          expect(apart(after.higher[2], orbits.crackles)).toBeLessThan(100 * 2 ** -24 * size(orbits.accelerations));
        }
      });
    },
  );
});

describe.each(INTEGRATORS)("the predictor of %s", (integrator) => {
  it("is the float64 one to a pair's precision in the velocity's term, to float32's in the others", async () => {
    const count = 130;
    const random = sequence(7);
    const set = await plummerSphere(count, BOX);
    const settings = directSettings({ integrator });
    const own = gpu().account();
    const state = new DirectState(own, settings, set);
    const forces = await DirectForces.create(own, {
      order: state.integrator.order,
      precision: "single",
      softening: 0.01,
    });
    const loop = await BlockLoop.create(own, settings, state, forces, { share: 2 ** 32 });
    try {
      const saved = await state.save();
      const derivatives = Float32Array.from({ length: saved.derivatives.length }, () => 0.02 * (random() - 0.5));
      const words = derivatives.length / count;
      for (let i = 0; i < count; i++) {
        saved.particles[16 * i + 11] = 2 ** 12 * Math.floor(random() * 2 ** 17); // intervals are float32 numbers
        for (let axis = 0; axis < 3; axis++) derivatives[words * i + 4 + axis] = 1e-9 * (random() - 0.5); // low words
      }
      const reached = 0.6875 * LARGEST_TICKS;
      state.restore(saved.control, saved.particles, new Uint32Array(derivatives.buffer));
      state.setControl({ reached });
      poison(own, state.bodies);
      const batch = own.batch("prediction");
      loop.encodePredict(batch);
      await batch.submit();
      const bodies = new Float32Array(await gpu().read(state.bodies));
      const records = directRecords(
        { format: "", arrays: { ...saved, derivatives: new Uint32Array(derivatives.buffer) } },
        count,
      );
      const orbits = orbitsOf(integrator, records);
      const predicted = bodiesFor(count);
      const perBody = bodies.length / count;
      const reference = integrators[integrator].float64(settings.direct);
      for (let i = 0; i < count; i++) {
        reference.predict(orbits, i, (reached - records.times[i]) / LARGEST_TICKS, predicted);
        for (let axis = 0; axis < 3; axis++) {
          const at = perBody * i + axis;
          const k = 3 * i + axis;
          const x = bodies[at] + bodies[at + 4];
          // The part beyond v·t is at most 0.01, and float32.
          expect(Math.abs(x - predicted.positions[k])).toBeLessThan(0.01 * 2 ** -22 + PAIR * Math.abs(x));
          if (integrator === "leapfrog") continue;
          expect(Math.abs(bodies[at + 8] - predicted.velocities[k])).toBeLessThan(2 ** -22);
          if (integrator === "hermite-6") expect(bodies[at + 12]).toBeCloseTo(predicted.accelerations[k], 7);
        }
        expect(new Uint32Array(bodies.buffer)[perBody * i + 7]).toBe(i);
      }
    } finally {
      own.destroy();
    }
  });
});

describe.each(INTEGRATORS)("the start of %s", (integrator) => {
  it("takes derivatives and first steps as in float64", async () => {
    const count = 200;
    const set = await plummerSphere(count, BOX);
    const settings = directSettings({ integrator }, { externalPotentials: FIELDS });
    const reference = new ReferenceDirect(settings, set);
    await expect(reference.advance(1, settings.step, { signal: abortAfter(1) })).rejects.toThrow(/stopped/);
    const { arrays } = await reference.saveState();
    await withDirect(gpu(), settings, set, async (pipeline) => {
      await expect(pipeline.advance(1, settings.step, { signal: abortAfter(0) })).rejects.toThrow(/stopped/);
      const { accelerations, higher, steps } = directRecords(await pipeline.saveState(), count);
      const { perVelocity, step } = directUnits(settings, 1 / count);
      const expected = [arrays.accelerations, arrays.jerks, arrays.snaps] as Float64Array[];
      [accelerations, ...higher]
        .slice(0, { leapfrog: 1, "hermite-4": 2, "hermite-6": 3 }[integrator])
        .forEach((found, order) => {
          const scale = perVelocity * step ** (order + 1);
          for (let k = 0; k < found.length; k += 3) {
            const own = expected[order].slice(k, k + 3).map((a) => a * scale);
            expect(apart(found.slice(k, k + 3), own)).toBeLessThan(1e-5 * Math.hypot(...own));
          }
        });
      // Powers of two: a rounding error can only matter beside one.
      const ticks = arrays.ticks as Uint32Array;
      const other = steps.filter((ticksHere, i) => ticksHere !== ticks[i]);
      expect(other.length).toBeLessThan(0.02 * count);
      expect(new Set(steps).size).toBeGreaterThan(integrator === "leapfrog" ? 1 : 4);
    });
  });
});

describe("external fields", () => {
  it("pull on particles without mass as in float64, with jerk and snap", async () => {
    const random = sequence(3);
    const count = 70;
    const inBox = Array.from({ length: 3 * count }, () => BOX / 2 + 3 * (random() - 0.5));
    // One sits at the centre of a field.
    FIELDS[0].centre.forEach((x, axis) => {
      inBox[axis] = x;
    });
    const velocities = Array.from({ length: 3 * count }, () => random() - 0.5);
    const set = particleSet(inBox, velocities, new Array(count).fill(0));
    const settings = directSettings({ integrator: "hermite-6" }, { externalPotentials: FIELDS, G: 2 });
    await withDirect(gpu(), settings, set, async (pipeline) => {
      await expect(pipeline.advance(1, settings.step, { signal: abortAfter(0) })).rejects.toThrow(/stopped/);
      const records = directRecords(await pipeline.saveState(), count);
      const { step } = settings;
      const rows = Uint32Array.from({ length: count }, (_, i) => i);
      const bodies = { ...bodiesFor(count), positions: set.positions, velocities: Float64Array.from(set.velocities) };
      const passes = ["jerk", "snap"] as const;
      let out = emptyForces("snap", count);
      for (const order of passes) {
        out = emptyForces("snap", count);
        for (const potential of FIELDS) {
          addExternalForces({ order, potential, G: 2, bodies, out, rows, first: 0, last: count });
        }
        bodies.accelerations.set(out.accelerations);
      }
      // Where the fields' parts nearly cancel, what is left of them has the errors of both.
      const parts = FIELDS.map((potential) => {
        const part = emptyForces("snap", count);
        addExternalForces({ order: "snap", potential, G: 2, bodies, out: part, rows, first: 0, last: count });
        return [part.accelerations, part.jerks!, part.snaps!];
      });
      const found = [records.accelerations, ...records.higher];
      [out.accelerations, out.jerks!, out.snaps!].forEach((expected, order) => {
        const scale = step ** (order + 2);
        for (let k = 0; k < 3 * count; k += 3) {
          const own = expected.slice(k, k + 3).map((a) => a * scale);
          const size = parts.reduce((sum, part) => sum + scale * Math.hypot(...part[order].slice(k, k + 3)), 0);
          expect(apart(found[order].slice(k, k + 3), own)).toBeLessThan(2e-6 * size);
        }
      });
      const { potential } = await pipeline.sums();
      const phi = (await pipeline.readParticles({ potential: true })).potential!;
      const mean = phi.reduce((sum, one) => sum + one, 0) / count;
      expect(potential / mean).toBeCloseTo(1, 5); // without mass: per unit mass: docs/orbits.md
      const { centre, parameters } = FIELDS[1];
      const { parameters: first } = FIELDS[0];
      const r = Math.hypot(...centre.map((x, axis) => x - inBox[axis]));
      expect(phi[0]).toBeCloseTo((-2 * first.mass) / first.scale - (2 * parameters.mass) / (r + parameters.scale), 5);
    });
  });
});

describe("a direct sum", () => {
  const pair = (distance: number) =>
    particleSet([20, 20, 20, 20 + distance, 20, 20], [0, -0.5, 0, 0, 0.5, 0], [0.5, 0.5]);

  it("refuses particles and settings that can't be", async () => {
    const refused = async (settings: ReturnType<typeof directSettings>, set = pair(1)) => {
      await withDirect(gpu(), settings, set, async () => {});
    };
    const nowhere = pair(1);
    nowhere.positions[4] = Number.NaN;
    await expect(refused(directSettings(), nowhere)).rejects.toMatchObject({ kind: "input", message: /particle 1: / });
    const negative = particleSet([20, 20, 20], [0, 0, 0], [-1]);
    await expect(refused(directSettings(), negative)).rejects.toMatchObject({ kind: "input", message: /mass -1/ });
    await expect(refused(directSettings({ integrator: "leapfrog", softening: 0 }))).rejects.toMatchObject({
      kind: "scenario",
      message: /softening 0/,
    });
    await expect(refused(directSettings({}, { step: 0 }))).rejects.toMatchObject({ kind: "input", message: /above 0/ });
  });

  it("refuses another largest step, and the state of another backend or step", async () => {
    const settings = directSettings();
    const saved = await withDirect(gpu(), settings, pair(1), async (pipeline) => {
      await expect(pipeline.advance(1, 1 / 16)).rejects.toMatchObject({ kind: "input", message: /0\.125.*0\.0625/ });
      return pipeline.saveState();
    });
    await withDirect(gpu(), directSettings({}, { step: 1 / 16 }), pair(1), async (pipeline) => {
      await expect(pipeline.restoreState({ ...saved, format: "cpu-1" })).rejects.toMatchObject({ kind: "input" });
      await expect(pipeline.restoreState(saved)).rejects.toMatchObject({ kind: "input", message: /0\.125.*0\.0625/ });
    });
    await withDirect(gpu(), directSettings({ integrator: "hermite-6" }), pair(1), async (pipeline) => {
      await expect(pipeline.restoreState(saved)).rejects.toMatchObject({ kind: "input", message: /bytes/ });
    });
  });

  it("names the particle whose step becomes too short, at the start and later", async () => {
    const tooShort = /particle [01]: expected a time step of at least 2\^-30 .*softening above 0/;
    await withDirect(gpu(), directSettings({ softening: 0 }), pair(1e-8), async (pipeline) => {
      await expect(pipeline.advance(1, 1 / 8)).rejects.toMatchObject({ kind: "numerical", message: tooShort });
    });
    // Straight at each other, with a tick of 1e-6 and a step of √(2νε/|a|) that is 1e-7 at the end.
    const falling = particleSet([20, 20, 20, 20.125, 20, 20], [0, 0, 0, 0, 0, 0], [0.5, 0.5]);
    const settings = directSettings({ integrator: "leapfrog", softening: 1e-4 }, { step: 1000 });
    await withDirect(gpu(), settings, falling, async (pipeline) => {
      const later = /time 0\.0\d+ since its start, particle 0: expected a time step .*larger direct\.softening/;
      await expect(pipeline.advance(1, 1000)).rejects.toMatchObject({ kind: "numerical", message: later });
    });
  });

  it("names a particle that is nowhere any more", async () => {
    const lost = particleSet([20, 20, 20, 21, 20, 20], [0, 0, 0, 1e38, 0, 0], [0.5, 0.5]);
    await withDirect(gpu(), directSettings({ steps: "shared" }, { step: 100 }), lost, async (pipeline) => {
      const nowhere = /time 100.*particle [01]: expected a finite place/;
      await expect(pipeline.advance(3, 100)).rejects.toMatchObject({ kind: "numerical", message: nowhere });
    });
  });

  it("lets a particle alone go straight on", async () => {
    const alone = particleSet([3, 4, 5], [0.5, -0.25, 1], [1]);
    await withDirect(gpu(), directSettings({ softening: 0 }), alone, async (pipeline) => {
      await pipeline.advance(8, 1 / 8);
      const { positions } = await pipeline.readParticles();
      [3.5, 3.75, 6].forEach((x, axis) => {
        expect(positions[axis]).toBeCloseTo(x, 12);
      });
      expect(pipeline.counters()).toEqual({ blocks: 8, "particle steps": 8, interactions: 8 });
    });
  });
});
