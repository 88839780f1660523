/**
 * The block loop: who is advanced when, in both shapes; the same bits whatever the shape, the number of blocks in a
 * submission, a repetition, or a stop and resumption within a step; adaptive and shared steps.
 */
import { describe, expect, it, vi } from "vitest";
import type { ExactState } from "../../src/engine/backend/backend.ts";
import type { BlockShape } from "../../src/engine/direct/block-kernels.ts";
import { CONTROL, LARGEST_TICKS, progressOf } from "../../src/engine/direct/control.ts";
import type { IntegratorName } from "../../src/engine/direct/integrators.ts";
import type { DirectPipelineOptions } from "../../src/engine/direct/pipeline.ts";
import type { DirectPipelineSettings, StepScheme } from "../../src/engine/direct/settings.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { firstDifference } from "../support/compare.ts";
import { abortAfter, BOX, directRecords, directSettings, withDirect } from "../support/direct-pipeline.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { plummerSphere } from "../support/particles.ts";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();

const SHAPES: BlockShape[] = ["one", "many"];

/** State after `steps` largest steps. */
function evolved(
  settings: DirectPipelineSettings,
  set: ParticleSet,
  steps: number,
  options: DirectPipelineOptions = {},
): Promise<ExactState> {
  return withDirect(
    gpu(),
    settings,
    set,
    async (pipeline) => {
      await pipeline.advance(steps, settings.step);
      return pipeline.saveState();
    },
    options,
  );
}

function expectSame(state: ExactState, expected: ExactState): void {
  for (const name of ["particles", "derivatives"]) {
    expect(firstDifference(state.arrays[name] as Uint32Array, expected.arrays[name] as Uint32Array)).toBe("same");
  }
  // Where the block in progress began depends on where submissions were cut, and is written anew before it is read.
  const counted = (words: ArrayLike<number>) => Array.from(words).slice(CONTROL.reached, CONTROL.begun);
  expect(counted(state.arrays.control)).toEqual(counted(expected.arrays.control));
}

describe.each(SHAPES)("a block with %s workgroup(s)", (loop) => {
  it.each([1, 2, 31, 32, 33, 255, 257, 1000])("advances those of %i particles whose steps end first", async (count) => {
    const random = sequence(count);
    const set = await plummerSphere(count, BOX);
    const settings = directSettings({ softening: 0.1 });
    const options = { loop, blocksPerSubmission: 1 };
    await withDirect(
      gpu(),
      settings,
      set,
      async (pipeline) => {
        await expect(pipeline.advance(1, settings.step, { signal: abortAfter(0) })).rejects.toThrow(/stopped/);
        const start = await pipeline.saveState();
        // Steps of 2^-4 to 2^-8 of the largest, begun at multiples of themselves; somebody ends at every such time.
        const words = new Uint32Array(start.arrays.particles);
        for (let i = 0; i < count; i++) {
          const step = LARGEST_TICKS / 2 ** Math.floor(4 + 5 * random());
          words[16 * i + 15] = step;
          words[16 * i + 11] = step * Math.floor((0.5 * LARGEST_TICKS) / step - 1);
        }
        start.arrays.particles = words;
        await pipeline.restoreState(start);
        for (let block = 0; block < 3; block++) {
          const before = directRecords(await pipeline.saveState(), count);
          const countersBefore = pipeline.counters();
          await expect(pipeline.advance(1, settings.step, { signal: abortAfter(1) })).rejects.toThrow(/stopped/);
          const after = directRecords(await pipeline.saveState(), count);
          const ends = before.times.map((time, i) => time + before.steps[i]);
          const next = ends.reduce((a, b) => Math.min(a, b));
          const due = ends.map((end) => (end === next ? 1 : 0));
          expect(due.some((flag) => flag === 1)).toBe(true);
          for (let i = 0; i < count; i++) {
            expect(after.times[i]).toBe(due[i] ? next : before.times[i]);
            if (!due[i]) expect(after.steps[i]).toBe(before.steps[i]);
            // A step is a power of two, fits into the hierarchy of times, and at most doubles.
            expect(Number.isInteger(Math.log2(after.steps[i]))).toBe(true);
            expect(after.steps[i] > before.steps[i] && next % after.steps[i]).toBeFalsy();
            expect(after.steps[i]).toBeLessThanOrEqual(2 * before.steps[i]);
            const moved = [0, 1, 2].some((axis) => after.positions[3 * i + axis] !== before.positions[3 * i + axis]);
            expect(moved).toBe(due[i] === 1);
          }
          const { blocks, "particle steps": particleSteps } = pipeline.counters();
          expect(blocks - countersBefore.blocks).toBe(1);
          expect(particleSteps - countersBefore["particle steps"]).toBe(due.reduce((a, b) => a + b, 0));
        }
      },
      options,
    );
  });
});

const SCHEMES: [IntegratorName, StepScheme][] = [
  ["leapfrog", "block"],
  ["hermite-4", "block"],
  ["hermite-6", "block"],
  ["hermite-4", "adaptive"],
  ["leapfrog", "shared"],
];

/** Hermite's of order 4 are among the adaptive ones. */
const FEWER = SCHEMES.filter(([integrator, steps]) => integrator !== "hermite-4" || steps !== "block");

describe.each(inFull(SCHEMES, FEWER))("%s with %s steps", (integrator, steps) => {
  const settingsOf = (nu: number) => directSettings({ integrator, steps, softening: 1 / 32, nu }, { step: 1 / 16 });
  const settings = settingsOf(0.02);
  const count = 300; // a full workgroup and a part of one
  const largestSteps = 2;

  it("has the same bits in every shape and in submissions of any length, and again when repeated", async () => {
    const set = await plummerSphere(count, BOX);
    const expected = await evolved(settings, set, largestSteps);
    expect(expected.arrays.control[CONTROL.stepsDone]).toBe(largestSteps);
    const variants: DirectPipelineOptions[] = [{}, { loop: "many" }, { blocksPerSubmission: 7 }];
    for (const options of variants) expectSame(await evolved(settings, set, largestSteps, options), expected);
  });

  it("has the same bits however short submissions are", async () => {
    const most = 20_000; // of 90 000 pairs
    const longer = settingsOf(0.1);
    const set = await plummerSphere(count, BOX);
    const expected = await evolved(longer, set, 1);
    const submit = vi.spyOn(gpu().device.queue, "submit");
    try {
      for (const options of [{}, { force: "split" }]) {
        submit.mockClear();
        expectSame(await evolved(longer, set, 1, { ...options, interactionsPerSubmission: most }), expected);
        const interactions = count * progressOf(expected.arrays.control as Uint32Array).particleSteps;
        expect(submit.mock.calls.length).toBeGreaterThan(interactions / most);
      }
    } finally {
      submit.mockRestore();
    }
  });

  it("resumes within a step to the same bits", async () => {
    const set = await plummerSphere(count, BOX, 2);
    const expected = await evolved(settings, set, largestSteps);
    for (const loop of SHAPES) {
      const options = { loop, blocksPerSubmission: steps === "shared" ? 1 : 5 };
      const saved = await withDirect(
        gpu(),
        settings,
        set,
        async (pipeline) => {
          const stopped = pipeline.advance(largestSteps, settings.step, { signal: abortAfter(1) });
          await expect(stopped).rejects.toMatchObject({ kind: "aborted" });
          return pipeline.saveState();
        },
        options,
      );
      expect(saved.arrays.control[CONTROL.reached] > 0).toBe(steps !== "shared");
      // Resumed with other particles in place, as a checkpoint is.
      const elsewhere = { ...set, positions: set.positions.map(() => 0), velocities: set.velocities.map(() => 0) };
      const resumed = await withDirect(gpu(), settings, elsewhere, async (pipeline) => {
        await pipeline.restoreState(saved);
        const fractions: number[] = [];
        const left = largestSteps - saved.arrays.control[CONTROL.stepsDone];
        await pipeline.advance(left, settings.step, { onProgress: (done) => fractions.push(done) });
        expect(fractions.at(-1)).toBe(left);
        expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);
        return pipeline.saveState();
      });
      expectSame(resumed, expected);
    }
  });
});

describe("a GPU's constants", () => {
  it("give the same bits", async () => {
    const set = await plummerSphere(300, BOX);
    // In double-single a GPU's reciprocal roots are refined, a software adapter's aren't.
    const settings = directSettings({ softening: 1 / 32, nu: 0.02, precision: "single" }, { step: 1 / 16 });
    const { device, adapter } = gpu();
    const hardware = new GpuContext(device, { ...adapter, software: false }, { owned: false });
    const states: ExactState[] = [];
    for (const context of [gpu(), hardware]) {
      states.push(
        await withDirect(
          context,
          settings,
          set,
          async (pipeline) => {
            await pipeline.advance(1, settings.step);
            return pipeline.saveState();
          },
          { force: "plain" },
        ),
      );
    }
    expectSame(states[1], states[0]);
  });
});

describe("adaptive steps", () => {
  it("are one step for all, the largest or it divided by a power of two", async () => {
    const count = 65;
    const set = await plummerSphere(count, BOX);
    const settings = directSettings({ steps: "adaptive" });
    await withDirect(
      gpu(),
      settings,
      set,
      async (pipeline) => {
        const reached: number[] = [];
        await pipeline.advance(1, settings.step, { onProgress: (done) => reached.push(done) });
        const { blocks, "particle steps": particleSteps } = pipeline.counters();
        expect(particleSteps).toBe(count * blocks);
        expect(reached.at(-1)).toBe(1);
        let time = 0;
        for (const next of reached) {
          if (next === time) continue; // nothing was left to do
          const step = next - time;
          expect(Number.isInteger(Math.log2(step))).toBe(true);
          expect(time % step).toBe(0);
          time = next;
        }
        expect(blocks).toBeGreaterThan(30);
      },
      { blocksPerSubmission: 1 },
    );
  });
});

describe("a stop within a step", () => {
  it("leaves particles that can be read at the time that all have reached", async () => {
    const set = await plummerSphere(200, BOX);
    const settings = directSettings({ softening: 0.1 });
    await withDirect(
      gpu(),
      settings,
      set,
      async (pipeline) => {
        await expect(pipeline.advance(1, settings.step, { signal: abortAfter(1) })).rejects.toThrow(/stopped/);
        const { arrays } = await pipeline.saveState();
        const time = (settings.step * arrays.control[CONTROL.reached]) / LARGEST_TICKS;
        expect(time).toBeGreaterThan(0.001);
        expect(new Set(directRecords({ format: "", arrays }, 200).times).size).toBeGreaterThan(2);
        // The same time as a step that ends there.
        const reference = new ReferenceDirect({ ...settings, step: time }, set);
        await reference.advance(1, time);
        const now = await pipeline.readParticles({ accelerations: true, potential: true });
        const expected = await reference.readParticles({ accelerations: true, potential: true });
        for (let k = 0; k < 600; k++) {
          expect(now.positions[k]).toBeCloseTo(expected.positions[k], 7);
          expect(now.velocities[k]).toBeCloseTo(expected.velocities[k], 5);
          expect(now.accelerations![k]).toBeCloseTo(expected.accelerations![k], 4);
        }
        now.potential!.forEach((potential, i) => {
          expect(potential).toBeCloseTo(expected.potential![i], 5);
        });
        const sums = await pipeline.sums();
        const known = await reference.sums();
        expect(sums.kinetic).toBeCloseTo(known.kinetic, 6);
        expect(sums.potential).toBeCloseTo(known.potential, 6);
      },
      { blocksPerSubmission: 40 },
    );
  });
});

describe("a pipeline", () => {
  it("names its stages, counts its memory and gives it back", async () => {
    const before = gpu().buffers.bytes().total;
    const settings = directSettings();
    await withDirect(gpu(), settings, await plummerSphere(500, BOX), async (pipeline) => {
      pipeline.timeStages();
      await pipeline.advance(1, settings.step);
      await pipeline.sums();
      const { total, particles } = pipeline.memory();
      expect(particles).toBeGreaterThan(500 * 200);
      expect(total - before).toBeLessThan(500 * 512 + 100_000);
      const stages = pipeline.stageTimes().map(({ stage }) => stage);
      for (const stage of ["predict", "force", "correct", "schedule", "diagnostics"]) expect(stages).toContain(stage);
      expect(stages).not.toContain("blocks");
    });
    expect(gpu().buffers.bytes().total).toBe(before);
  });
});
