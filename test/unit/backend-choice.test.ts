/** Which backend `auto` takes for direct sums, and what it says; the caller's word comes first. No adapter is asked for. */
import { describe, expect, it } from "vitest";
import { runWords } from "../../src/doors/cli/run.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { DeckComponent } from "../../src/physics/initial/models.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { type Engine, engineForSum, fewBodies } from "../../src/scenario/simulation/engine.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

const PAIR = { kind: "kepler", semiMajorAxis: 1 } as const;
const deck = (...particles: DeckComponent[]) =>
  completeScenario({ title: "Stars", gravity: "direct", box: { size: 8 }, particles, time: { end: 0.5, step: 0.25 } });

function adapter() {
  let destroyed = 0;
  const gpu = { destroy: () => (destroyed += 1) } as unknown as GpuContext;
  const engine: Engine = { gpu, owned: true, notice: undefined };
  return { engine, destroyed: () => destroyed };
}

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
      ...{
        particles: particleCount,
        cells: null,
        levels: 0,
        integrator: "Hermite 4",
        steps: 2,
        end: 0.5,
        timeUnit: "time units",
      },
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

  it("goes by how many are targets of a step, and gives the adapter back when that is the CPU", () => {
    for (const [steps, most] of [
      ["block", 128],
      ["shared", 32],
      ["adaptive", 32],
    ] as const) {
      const cpu = adapter();
      expect(engineForSum(cpu.engine, { steps }, most)).toEqual({
        ...{ gpu: undefined, owned: false },
        notice: `CPU, float64: ${most} bodies are too few for a GPU to be faster`,
      });
      expect(cpu.destroyed()).toBe(1);
      const guest = adapter();
      engineForSum({ ...guest.engine, owned: false }, { steps }, most);
      const gpu = adapter();
      expect(engineForSum(gpu.engine, { steps }, most + 1)).toBe(gpu.engine);
      expect([guest.destroyed(), gpu.destroyed()]).toEqual([0, 0]);
    }
  });
});
