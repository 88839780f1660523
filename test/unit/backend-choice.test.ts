/** Which backend `auto` takes for direct sums, and what it says; the caller's word comes first. No adapter is asked for. */
import { describe, expect, it } from "vitest";
import { engineForSum, fewBodies } from "../../src/backend-choice.ts";
import { runWords } from "../../src/cli/run.ts";
import type { Engine } from "../../src/engine.ts";
import type { GpuContext } from "../../src/gpu/context.ts";
import type { DeckComponent } from "../../src/initial/models.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/simulation.ts";
import { directPipelineSettings } from "../support/direct-reference.ts";
import { plummerSphere } from "../support/particles.ts";

const PAIR = { kind: "kepler", semiMajorAxis: 1 } as const;
const deck = (...particles: DeckComponent[]) =>
  completeScenario({ title: "Stars", gravity: "direct", box: { size: 8 }, particles, time: { end: 0.5, step: 0.25 } });

/** An adapter that knows what was quicker before, by purpose. */
function adapter(known: Record<string, string>) {
  const asked: string[] = [];
  let destroyed = 0;
  const gpu = {
    adapter: { description: "a GPU", device: "" },
    device: { features: new Set(), adapterInfo: {} },
    choices: {
      get: (purpose: string) => {
        asked.push(purpose);
        return known[purpose];
      },
    },
    destroy: () => {
      destroyed += 1;
    },
  } as unknown as GpuContext;
  const engine: Engine = { gpu, owned: true, notice: undefined };
  return { engine, asked, destroyed: () => destroyed };
}

const settings = directPipelineSettings({ integrator: "hermite-4", steps: "block", precision: "single" }, 0.125);
const PURPOSE = "direct sum on the adapter or the CPU, hermite-4, block, single, 2^7 bodies";

describe("auto, for a direct sum", () => {
  it("takes the CPU for few bodies and says why", async () => {
    const scenario = deck(PAIR);
    const simulation = await Simulation.create(scenario, {
      acquire: () => Promise.reject(new Error("no adapter was to be asked for")),
    });
    expect(simulation).toMatchObject({
      backend: "cpu",
      notice: "CPU, float64: 2 bodies are too few for a GPU to be faster",
    });
    const { notice = null, backend, particleCount } = simulation;
    simulation.destroy();
    const start = {
      ...({ event: "start", version: "0", title: "Stars", folder: "out", backend, adapter: null, ranks: 1 } as const),
      ...{ particles: particleCount, cells: null, integrator: "Hermite 4", steps: 2, end: 0.5, timeUnit: "time units" },
    };
    const text = runWords.lasting.start!({ ...start, notice }, 80);
    expect(text).toContain("on CPU, float64: 2 bodies are too few for a GPU to be faster; results in out");
  });

  it("asks for an adapter where another backend is wanted, or the number of bodies isn't few", async () => {
    expect(fewBodies(deck({ kind: "plummer", count: 500, scale: 0.5 }))).toBeUndefined();
    expect(fewBodies(deck(PAIR, { kind: "snapshot", file: "stars.hdf5" }))).toBeUndefined();
    expect(fewBodies({ ...deck(PAIR), gravity: "mesh" })).toBeUndefined();
    const acquire = () => Promise.reject(new Error("asked for"));
    await expect(Simulation.create(deck(PAIR), { backend: "webgpu", acquire })).rejects.toThrow("asked for");
  });

  it("takes what was measured for as many bodies, and gives the adapter back when that is the CPU", async () => {
    const bodies = await plummerSphere(140, 8);
    const cpu = adapter({ [PURPOSE]: "cpu" });
    expect(await engineForSum(cpu.engine, settings, bodies)).toEqual({
      ...{ gpu: undefined, owned: false },
      notice: "CPU, float64: 140 bodies are summed faster there than on a GPU",
    });
    expect([cpu.asked, cpu.destroyed()]).toEqual([[PURPOSE], 1]);
    const gpu = adapter({ [PURPOSE]: "plain" });
    expect(await engineForSum(gpu.engine, settings, bodies)).toBe(gpu.engine);
    expect(gpu.destroyed()).toBe(0);
  });

  it("measures neither few bodies nor many", async () => {
    const known = adapter({});
    expect(await engineForSum({ ...known.engine, owned: false }, settings, await plummerSphere(20, 8))).toMatchObject({
      notice: expect.stringContaining("20 bodies are too few"),
    });
    expect(await engineForSum(known.engine, settings, await plummerSphere(2048, 8))).toBe(known.engine);
    expect([known.asked, known.destroyed()]).toEqual([[], 0]);
  });
});
