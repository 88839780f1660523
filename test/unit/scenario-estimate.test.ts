import { describe, expect, it } from "vitest";
import { massesDiffer } from "../../src/initial/components.ts";
import type { DeckComponent } from "../../src/initial/models.ts";
import type { Boundary } from "../../src/particles/box.ts";
import { bytesPerParticle, bytesText, fitAdvice, memoryEstimate } from "../../src/scenario/estimate.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

const MIB = 2 ** 20;

function scenario(cells: number, counts: number[], boundary: Boundary = "periodic", extra: DeckComponent[] = []) {
  return completeScenario({
    title: "Test",
    box: { size: 1, boundary },
    mesh: { cells },
    particles: [...counts.map((count, i) => ({ kind: "uniform" as const, name: `c${i}`, count, mass: 1 })), ...extra],
    time: { end: 1, step: 0.1 },
  });
}

describe("memory estimate", () => {
  it("keeps the budget: at most 64 bytes a particle and 32 a cell, periodic", () => {
    for (const n of [16, 64, 256]) {
      const { particles, mesh } = memoryEstimate(scenario(n, [10 * n ** 3]));
      expect(particles / (10 * n ** 3)).toBeLessThanOrEqual(64);
      expect(mesh / n ** 3).toBeLessThanOrEqual(32);
    }
  });

  it("adds up, and names the largest binding", () => {
    const deck = scenario(64, [1000]);
    const estimate = memoryEstimate(deck);
    expect(estimate.total).toBe(estimate.particles + estimate.mesh + estimate.other);
    expect(estimate.largestBinding).toBe(12 * 64 ** 3);
    expect(memoryEstimate(scenario(16, [10 * MIB])).largestBinding).toBe(120 * MIB);
  });

  it("counts the isolated solver's kernel, box images and differing masses", () => {
    const n = 64;
    const periodic = memoryEstimate(scenario(n, [1000]));
    const isolated = memoryEstimate(scenario(n, [1000], "isolated"));
    expect(isolated.mesh - periodic.mesh).toBe(4 * (n + 1) ** 3);
    expect(isolated.particles - periodic.particles).toBe(8000);
    expect(bytesPerParticle(scenario(n, [10, 20]))).toBe(64);
    expect(massesDiffer(scenario(n, [10, 10]))).toBe(false);
    // What its cut-off leaves of a halo's mass isn't known before it is drawn.
    const halo = { kind: "hernquist", count: 10, mass: 1, scale: 0.04 } as const;
    expect(massesDiffer(scenario(n, [10], "isolated", [halo]))).toBe(true);
    expect(massesDiffer(scenario(n, [], "isolated", [halo]))).toBe(false);
  });

  it("leaves rigid components out and takes a snapshot's particles when they are known", () => {
    const rigid = { kind: "plummer", rigid: true, mass: 5, scale: 1 } as const;
    const alone = memoryEstimate(scenario(32, [1000], "isolated"));
    expect(memoryEstimate(scenario(32, [1000], "isolated", [rigid]))).toEqual(alone);
    const file = scenario(32, [], "periodic", [{ kind: "snapshot", file: "a.hdf5" }]);
    expect(memoryEstimate(file).particles).toBe(0);
    expect(memoryEstimate(file, { snapshotParticles: 100 }).particles).toBe(6400);
  });
});

describe("advice when a run doesn't fit", () => {
  const deck = scenario(256, [10 * MIB]);

  it("is empty when it fits", () => {
    expect(fitAdvice(deck, {})).toMatchObject({ fits: true, message: "" });
    expect(fitAdvice(deck, { total: 2 ** 34, binding: 2 ** 31 }).fits).toBe(true);
  });

  it("names what is needed, what there is and what would fit, and that does fit", () => {
    const limits = { total: 900 * MIB };
    const advice = fitAdvice(deck, limits);
    expect(advice.message).toBe(
      "the run needs 1.0 GiB in all; there are 900 MiB (10485760 particles: 600 MiB; mesh of 256^3: 385 MiB). " +
        `mesh.cells=192, or at most ${advice.count} particles (now 10485760) with mesh.cells=256 would fit`,
    );
    expect(fitAdvice(scenario(192, [10 * MIB]), limits).fits).toBe(true);
    expect(fitAdvice(scenario(256, [advice.count!]), limits).fits).toBe(true);
    expect(fitAdvice(scenario(256, [advice.count! + 1]), limits).fits).toBe(false);
  });

  it("minds the size of a single binding", () => {
    const advice = fitAdvice(deck, { binding: 128 * MIB });
    expect(advice).toMatchObject({ fits: false, cells: 192 });
    expect(advice.count).toBeUndefined();
    expect(advice.message).toContain("one buffer of 192 MiB; the adapter binds at most 128 MiB");
  });

  it("lowers both where one isn't enough, and says when nothing helps", () => {
    expect(fitAdvice(deck, { total: 64 * MIB }).message).toMatch(
      /mesh\.cells=\d+ with at most \d+ particles .* would fit$/,
    );
    expect(fitAdvice(deck, { total: 1000 }).message).toContain("No mesh of this program would fit");
  });

  it("speaks of bytes like a person", () => {
    expect([0, 512, 2048, 5 * MIB, 1.5 * 2 ** 30].map(bytesText)).toEqual([
      "0 B",
      "512 B",
      "2 KiB",
      "5 MiB",
      "1.5 GiB",
    ]);
  });
});
