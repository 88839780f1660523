/**
 * P³M in time. Substeps (r-RESPA; Tuckerman, Berne & Martyna 1992): pairs and external potentials kick several times in a step, the mesh
 * once. A Plummer sphere in float64 has the order of convergence; the GPU has its numbers, and the same bits whenever it is resumed. Softening that becomes physical.
 */
import { expect, it } from "vitest";
import { type ExactState, plainPlan, type StepPlan, uniformFactors } from "../../src/engine/backend/backend.ts";
import type { PairSettings } from "../../src/engine/mesh/settings.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { ComovingClock, stepEdges } from "../../src/physics/cosmology/steps.ts";
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

/** From a = 0.5 to 0.7 in equal steps of ln a. */
function expansion(steps: number, done = 0): StepPlan {
  const times = stepEdges(0.5, 0.7, steps, "log-a").subarray(done);
  const clock = new ComovingClock(new Background({ h: 0.7, omegaM: 0.3 }), { spacing: "log-a" });
  return { next: () => ({ factors: clock.steps(times), times, last: true, measured: false }), note: () => {} };
}

/** Half a dynamical time long, with a softening of a physical length, which shrinks; every fifth particle has no mass. */
async function expanding(substeps: number) {
  const set = await plummerSphere(100, SIDE);
  set.masses = set.masses.map((mass, i) => (i % 5 === 4 ? 0 : mass));
  set.velocities = set.velocities.map((v) => 200 * v);
  const { pairs } = settingsFor(substeps, { maxPhysicalSoftening: 0.04 });
  const settings = { ...{ pairs, G: 4e4, start: 0.5 } };
  return { set, settings: pipelineSettings({ cells: 24, assignment: "tsc" }, "periodic", SIDE, settings) };
}

it("have second order in an expanding box, too, for particles with and without mass", async () => {
  const after = async (substeps: number, steps: number) => {
    const { set, settings } = await expanding(substeps);
    const pipeline = await ReferencePipeline.create(settings, set);
    await pipeline.follow(expansion(steps));
    const { positions } = await pipeline.readParticles();
    return [0, 4].map((first) => positions.filter((_, k) => Math.floor(k / 3) % 5 === first));
  };
  const [two, four, eight, fine] = [await after(4, 4), await after(4, 8), await after(4, 16), await after(4, 32)];
  const [plain, many] = [await after(1, 8), await after(1, 32)];
  for (const which of [0, 1]) {
    const off = (a: Float64Array[], b = fine) => rms(a[which], b[which]);
    const order = off(two, four) / off(four, eight);
    expect(order).toBeGreaterThan(3.6);
    expect(order).toBeLessThan(5.2);
    expect(off(four)).toBeLessThan(0.1 * off(plain));
    expect(off(four)).toBeLessThan(6 * off(many));
  }
});

it("have the twin's numbers on the GPU, in an external potential or an expanding box, and the same bits resumed at any step", async () => {
  const halo = { kind: "plummer", centre: [4, 4, 4], parameters: { mass: 0.5, scale: 1 } };
  const inHalo = { ...settingsFor(4), externalPotentials: [halo as never] };
  const steady = (_: number, done = 0) => plainPlan(uniformFactors(4 - done, 0.05));
  const cases = [
    { set: await plummerSphere(200, SIDE), settings: inHalo, plan: steady },
    { ...(await expanding(4)), plan: expansion },
  ];
  for (const { set, settings, plan } of cases) {
    const twin = await ReferencePipeline.create(settings, set);
    await twin.follow(plan(4));
    await withPipeline(gpu(), settings, set, async (one) => {
      const start = await one.saveState();
      await one.follow(plan(4), { most: 4 });
      expect(rms((await one.readParticles()).positions, (await twin.readParticles()).positions)).toBeLessThan(1e-6);
      const whole = await one.saveState();
      await one.restoreState(start);
      for (let done = 0; done < 4; done++) {
        await one.follow(plan(4, done), { most: 1 });
        await one.restoreState(await one.saveState());
      }
      const { arrays } = await one.saveState();
      for (const name of Object.keys(whole.arrays)) expect(arrays[name]).toEqual(whole.arrays[name]);
    });
  }
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
