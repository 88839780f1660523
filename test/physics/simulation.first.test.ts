/** The library's main class on both backends: times, outputs, adaptive steps, aborting, checkpoints. */
import { describe, expect, it } from "vitest";
import { acquireNodeContext } from "../../src/foundation/gpu/device.node.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

function scenario(step: number | "adaptive", more: object = {}) {
  return completeScenario({
    title: "test",
    box: { size: 10 },
    mesh: { cells: 32 },
    particles: [{ kind: "plummer", count: 3000, cutoff: 3 }],
    time: { end: 1, step },
    output: { snapshots: 2, diagnostics: 4 },
    ...more,
  });
}

describe.each(["webgpu", "cpu"] as const)("a simulation on %s", (backend) => {
  const options = () => (backend === "webgpu" ? { gpu: gpu() } : { backend });
  const bits = async (simulation: Simulation) => (await simulation.checkpoint()).state.arrays;

  it("advances to times and outputs in whole steps", async () => {
    const simulation = await Simulation.create(scenario(0.05), options());
    try {
      expect(simulation.backend).toBe(backend);
      await simulation.advance({ until: 0.33 });
      expect(simulation.step).toBe(6);
      expect(simulation.time).toBeCloseTo(0.3, 12);
      expect(simulation.output).toBe(1);
      await simulation.advance({ output: 3 });
      expect([simulation.time, simulation.step]).toEqual([0.75, 15]);
      const seen: number[] = [];
      await simulation.advance({ onProgress: ({ time }) => seen.push(time) });
      expect([simulation.time, simulation.step, simulation.done]).toEqual([1, 20, true]);
      expect(seen.at(-1)).toBe(1);
      expect(Math.abs((await simulation.diagnostics()).relativeEnergyError)).toBeLessThan(5e-3);
    } finally {
      simulation.destroy();
    }
  });

  it("tells what is done before the first step", async () => {
    const told: string[] = [];
    const onPreparing = (what: string) => told.push(what);
    // A device of its own: what is compiled once isn't compiled again.
    const options = backend === "webgpu" ? { acquire: acquireNodeContext } : {};
    const simulation = await Simulation.create(scenario(0.05), { ...options, backend, onPreparing });
    try {
      const last = "first force and sums";
      if (backend === "cpu") expect(told).toEqual([last]);
      else {
        const kernels = told.filter((what) => what.startsWith("compiling kernel "));
        expect(kernels.length).toBeGreaterThan(8);
        for (const [i, what] of kernels.entries()) expect(what).toContain(`kernel ${i + 1}, `);
        expect(told).toContain("ordering the particles");
        expect(told.at(-1)).toBe(last);
      }
      const before = told.length;
      await simulation.advance({ until: 0.1 });
      expect(told).toHaveLength(before);
    } finally {
      simulation.destroy();
    }
  });

  it("chooses adaptive steps that land on the outputs, and resumes them to the same bits", async () => {
    const deck = scenario("adaptive");
    const simulation = await Simulation.create(deck, options());
    try {
      const times: number[] = [];
      for (let output = 1; output <= 4; output++) {
        await simulation.advance({ output });
        times.push(simulation.time);
      }
      expect(times).toEqual([0.25, 0.5, 0.75, 1]);
      expect(simulation.step).toBeGreaterThan(8);
      expect(simulation.step).toBeLessThan(400);
      expect(Math.abs((await simulation.diagnostics()).relativeEnergyError)).toBeLessThan(5e-3);

      // Stopped in the middle of an interval by an abort, and resumed in another simulation.
      const stopped = await Simulation.create(deck, options());
      const abort = new AbortController();
      let segments = 0;
      const onProgress = () => {
        segments += 1;
        if (segments === 3) abort.abort();
      };
      await expect(stopped.advance({ onProgress, signal: abort.signal })).rejects.toThrow(/stopped at time/);
      await stopped.advance({ most: 2 }); // stopped likewise, without an error
      await stopped.advance({ pause: abort.signal });
      expect(stopped.done).toBe(false);
      const checkpoint = await stopped.checkpoint();
      stopped.destroy();
      const resumed = await Simulation.resume(deck, checkpoint, options());
      expect(resumed.time).toBe(checkpoint.time);
      await resumed.advance();
      expect([resumed.step, resumed.time]).toEqual([simulation.step, 1]);
      expect(await bits(resumed)).toEqual(await bits(simulation));
      expect((await resumed.diagnostics()).relativeEnergyError).toBe(
        (await simulation.diagnostics()).relativeEnergyError,
      );
      resumed.destroy();
    } finally {
      simulation.destroy();
    }
  });
});

describe("a simulation on webgpu whose step is far too long", () => {
  it("stops, naming stage and steps", async () => {
    // Resolved within the sphere, which itself flies through half of the box in a step.
    const deck = scenario(0.05, { particles: [{ kind: "plummer", count: 3000, cutoff: 3, velocity: [200, 0, 0] }] });
    const simulation = await Simulation.create(deck, { gpu: gpu() });
    try {
      await expect(simulation.advance()).rejects.toThrow(/steps 1–\d+ .*stage update, step 1: .*time\.step/);
    } finally {
      simulation.destroy();
    }
  });
});

describe("a live disk in a live halo", () => {
  it("stays in rotating equilibrium and keeps its two components apart", async () => {
    const deck = completeScenario({
      title: "live halo",
      box: { size: 24 },
      mesh: { cells: 48, assignment: "tsc" },
      particles: [
        { kind: "exponential-disk", count: 20_000, mass: 1, scaleLength: 1, scaleHeight: 0.4, toomreQ: 1.5, cutoff: 5 },
        { kind: "hernquist", count: 40_000, mass: 23, scale: 4, cutoff: 10 },
      ],
      time: { end: 4, step: 0.05 },
      output: { snapshots: 1, diagnostics: 1 },
    });
    const simulation = await Simulation.create(deck, { gpu: gpu() });
    try {
      const before = await simulation.diagnostics();
      await simulation.advance();
      const after = await simulation.diagnostics();
      expect(simulation.components.map(({ name, count }) => [name, count])).toEqual([
        ["exponential-disk", 20_000],
        ["hernquist", 40_000],
      ]);
      // The disk's, and what the cut-off leaves of the halo's.
      expect(after.mass).toBeCloseTo(1 + 8.07393, 4);
      expect(Math.abs(after.relativeEnergyError)).toBeLessThan(2e-3);
      expect(Math.abs(before.virialRatio - 1)).toBeLessThan(0.1);
      expect(Math.abs(after.virialRatio - 1)).toBeLessThan(0.1);
      expect(after.angularMomentum[2] / before.angularMomentum[2]).toBeCloseTo(1, 2);
      const half = after.lagrangianRadii[3] / before.lagrangianRadii[3];
      expect(half).toBeGreaterThan(0.9);
      expect(half).toBeLessThan(1.1);
    } finally {
      simulation.destroy();
    }
  });
});
