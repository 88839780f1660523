/** gravity = "direct" through the library's main class: stopped within a step, saved, resumed, to the same bits. */
import { afterEach, describe, expect, it } from "vitest";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation, type SimulationOptions } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const open: Simulation[] = [];
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.destroy();
});

const deck = (direct: object) =>
  completeScenario({
    title: "cluster",
    gravity: "direct",
    box: { size: 12 },
    direct: { softening: 1 / 64, ...direct },
    particles: [{ kind: "plummer", count: 96 }],
    time: { end: 0.5, step: 0.125 },
    output: { snapshots: 1, diagnostics: 2 },
  });

/** Advances until `steps` are done, a fraction included, and stops there. */
async function stopped(simulation: Simulation, time: number): Promise<void> {
  const stop = new AbortController();
  const onProgress = (progress: { time: number }) => {
    if (progress.time >= time) stop.abort();
  };
  const error = await simulation.advance({ onProgress, signal: stop.signal }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GravmeshError);
  expect((error as GravmeshError).kind).toBe("aborted");
}

describe.each(["webgpu", "cpu"] as const)("direct summation on %s", (backend) => {
  const options = (): SimulationOptions => (backend === "cpu" ? { backend } : { gpu: gpu() });

  it.each([
    { integrator: "hermite-4", steps: "block" },
    { integrator: "hermite-6", steps: "adaptive" },
    { integrator: "leapfrog", steps: "shared" },
  ])("$integrator with $steps steps goes on from a checkpoint to the same bits", async (direct) => {
    const scenario = deck(direct);
    const whole = await Simulation.create(scenario, options());
    open.push(whole);
    await whole.advance();
    const broken = await Simulation.create(scenario, options());
    open.push(broken);
    await stopped(broken, 0.15);
    const before = await broken.diagnostics();
    expect(Number.isFinite(before.relativeEnergyError)).toBe(true);
    const checkpoint = await broken.checkpoint();
    expect(checkpoint.step).toBeLessThan(4);
    const resumed = await Simulation.resume(scenario, checkpoint, options());
    open.push(resumed);
    await resumed.advance();
    expect([resumed.step, resumed.time]).toEqual([4, 0.5]);
    const [a, b] = [await whole.readParticles(), await resumed.readParticles()];
    expect(b.positions).toEqual(a.positions);
    expect(b.velocities).toEqual(a.velocities);
    if (direct.steps === "block") expect(whole.counters().blocks).toBeGreaterThan(10);
  });
});
