/**
 * P³M in time. Substeps (r-RESPA; Tuckerman, Berne & Martyna 1992): pairs and external potentials kick several times in a step, the mesh
 * once. A Plummer sphere in float64 has the order of convergence; the GPU has its numbers, and the same bits whenever it is resumed. Softening that becomes physical.
 */
import { expect, it } from "vitest";
import type { ExactState } from "../../src/engine/backend/backend.ts";
import type { PairSettings } from "../../src/engine/mesh/settings.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { useGpu } from "../support/gpu.ts";
import { plummerSphere } from "../support/particles.ts";
import { pipelineSettings, withPipeline } from "../support/pipeline.ts";

const gpu = useGpu();
const SIDE = 8;
/** About half a dynamical time. */
const TIME = 0.8;

function settingsFor(substeps: number, more: Partial<PairSettings> = {}) {
  const pairs = { softening: 0.08, softeningKernel: "plummer" as const, reach: 5, substeps, ...more };
  return pipelineSettings({ cells: 24, kernel: "split", assignment: "tsc" }, "isolated", SIDE, { pairs });
}

/** Positions after so many steps, and with `back` how far as many steps back end from the start. */
async function end(substeps: number, steps: number, back = false) {
  const set = await plummerSphere(100, SIDE);
  const pipeline = await ReferencePipeline.create(settingsFor(substeps), set);
  await pipeline.advance(steps, TIME / steps);
  const { positions } = await pipeline.readParticles();
  if (back) await pipeline.advance(steps, -TIME / steps);
  return { positions, off: back ? rms((await pipeline.readParticles()).positions, set.positions) : undefined };
}

function rms(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.sqrt(Array.from(a, (x, i) => (x - b[i]) ** 2).reduce((sum, x) => sum + x) / a.length);
}

it("have second order, gain much over as many steps without them, and go back the way they came", async () => {
  const [two, four, eight, fine] = [await end(4, 4, true), await end(4, 8), await end(4, 16), await end(4, 32)];
  const [coarse, finer] = [rms(two.positions, four.positions), rms(four.positions, eight.positions)];
  expect(coarse / finer).toBeGreaterThan(3.6);
  expect(coarse / finer).toBeLessThan(4.5);
  const [own, plain] = [four, await end(1, 8)].map((one) => rms(one.positions, fine.positions));
  expect(own / plain).toBeLessThan(0.15);
  expect(two.off).toBeLessThan(1e-13);
});

it("have the twin's numbers on the GPU, in an external potential, and the same bits resumed at any step", async () => {
  const set = await plummerSphere(200, SIDE);
  const halo = { kind: "plummer", centre: [4, 4, 4], parameters: { mass: 0.5, scale: 1 } };
  const settings = { ...settingsFor(4), externalPotentials: [halo as never] };
  const twin = await ReferencePipeline.create(settings, set);
  await twin.advance(4, 0.05);
  await withPipeline(gpu(), settings, set, async (one) => {
    const start = await one.saveState();
    await one.advance(4, 0.05, { most: 4 });
    expect(rms((await one.readParticles()).positions, (await twin.readParticles()).positions)).toBeLessThan(1e-6);
    const whole = await one.saveState();
    await one.restoreState(start);
    for (let left = 4; left > 0; left--) {
      await one.advance(left, 0.05, { most: 1 });
      await one.restoreState(await one.saveState());
    }
    const { arrays } = await one.saveState();
    for (const name of ["positions", "velocities", "images"]) expect(arrays[name]).toEqual(whole.arrays[name]);
  });
});

it("softening stays comoving until it has its largest physical length, also when resumed, and in float64", async () => {
  const set = await plummerSphere(200, SIDE);
  const accelerations = async (settings: ReturnType<typeof settingsFor>, state?: ExactState) =>
    withPipeline(gpu(), settings, set, async (one) => {
      if (state) await one.restoreState(state);
      return { read: await one.readParticles({ accelerations: true }), state: await one.saveState() };
    });
  const limited = settingsFor(1, { maxPhysicalSoftening: 0.02 });
  const late = await accelerations({ ...limited, start: 0.5 });
  const [early, resumed] = [await accelerations({ ...limited, start: 0.1 }), await accelerations(limited, late.state)];
  const [soft, hard] = [await accelerations(settingsFor(1)), await accelerations(settingsFor(1, { softening: 0.04 }))];
  expect(early.read.accelerations).toEqual(soft.read.accelerations);
  for (const one of [late, resumed]) expect(one.read.accelerations).toEqual(hard.read.accelerations);
  const twin = await ReferencePipeline.create({ ...limited, start: 0.5 }, set);
  const exact = (await twin.readParticles({ accelerations: true })).accelerations!;
  expect(rms(late.read.accelerations!, exact)).toBeLessThan(1e-5 * rms(exact, new Float64Array(600)));
});
