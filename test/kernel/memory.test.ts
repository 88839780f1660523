/** What a run holds on the GPU against the estimate that decides whether it may start, and against the budget. */
import { describe, expect, it } from "vitest";
import { initialConditions } from "../../src/initial/index.ts";
import { MeshPipeline } from "../../src/pipeline.ts";
import { memoryEstimate } from "../../src/scenario/estimate.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/simulation.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const COUNT = 20_001;
const CELLS = 32;

async function held(boundary: "periodic" | "isolated", mesh: object, components = 1) {
  const scenario = completeScenario({
    title: "memory",
    box: { size: 10, boundary },
    mesh: { cells: CELLS, ...mesh },
    particles: Array.from({ length: components }, (_, c) => ({
      kind: "uniform",
      count: COUNT - c,
      mass: 1 + c,
      side: 6,
      velocityDispersion: 0,
    })),
    time: { end: 1, step: 0.1 },
  });
  const { particles } = await initialConditions(scenario, { G: 1 });
  const { mesh: settings, multigrid, box } = scenario;
  const pipeline = await MeshPipeline.create(
    gpu(),
    { mesh: settings, multigrid, boundary: box.boundary, boxSize: box.size, G: 1, externalPotentials: [] },
    particles,
  );
  try {
    await pipeline.advance(1, 0.01);
    await pipeline.sums();
    return { memory: pipeline.memory(), estimate: memoryEstimate(scenario) };
  } finally {
    pipeline.destroy();
  }
}

describe("memory on the GPU", () => {
  it("is at most 64 bytes a particle and 32 a cell, periodic with CIC", async () => {
    const { memory } = await held("periodic", {});
    expect(memory.particles / COUNT).toBeLessThanOrEqual(64);
    expect(memory.mesh / CELLS ** 3).toBeLessThanOrEqual(32);
    expect(memory.other).toBeLessThan(2 ** 20);
  });

  for (const boundary of ["periodic", "isolated"] as const) {
    const meshes = [{}, { gradient: "spectral" }, { poisson: "multigrid" }, { assignment: "tsc" }];
    const selection = boundary === "periodic" ? meshes.slice(0, 2) : meshes.slice(2);
    for (const mesh of inFull(meshes, selection)) {
      it(`is what was estimated: ${boundary} ${JSON.stringify(mesh)}`, async () => {
        const { memory, estimate } = await held(boundary, mesh, 2);
        expect(memory.particles).toBe(estimate.particles);
        expect(Math.abs(memory.mesh / estimate.mesh - 1)).toBeLessThan(0.05);
        expect(memory.total).toBeLessThanOrEqual(estimate.total);
      });
    }
  }

  it("is refused, with what would fit, before anything is allocated", async () => {
    const scenario = completeScenario({
      title: "too large",
      box: { size: 10, boundary: "periodic" },
      mesh: { cells: 1024 },
      particles: [{ kind: "uniform", count: 10, mass: 1 }],
      time: { end: 1, step: 0.1 },
    });
    const before = gpu().buffers.bytes().total;
    await expect(Simulation.create(scenario, { gpu: gpu() })).rejects.toThrow(
      /not enough memory: the run needs one buffer of 12\.0 GiB; the adapter binds at most .*mesh\.cells=\d+ would fit/,
    );
    expect(gpu().buffers.bytes().total).toBe(before);
  });

  it("is given back", async () => {
    const before = gpu().buffers.bytes().total;
    await held("isolated", {});
    expect(gpu().buffers.bytes().total).toBe(before);
  });
});
