/** Phantom matter of modified gravity: closed forms of a sphere on both backends, files of a run, several ranks, a resumed run. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modified } from "../../src/physics/mond/interpolation.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import type { PhantomMatter } from "../../src/scenario/simulation/phantom-matter.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { useFolder, useKilledRun } from "../support/decks.ts";
import { useGpu } from "../support/gpu.ts";
import { contentsOfRun, dataSetOf, runOnCpu } from "../support/result-folder.ts";

const gpu = useGpu();
const [SIZE, CELLS, SCALE] = [24, 48, 2];
const CENTRE = [SIZE / 2, SIZE / 2, SIZE / 2] as const;

const sphere = (formulation: "qumond" | "aqual"): Deck => ({
  title: "sphere",
  box: { size: SIZE },
  mesh: { cells: CELLS },
  mond: { formulation, a0: 1 },
  particles: [{ kind: "plummer", count: 30_000, mass: 1, scale: SCALE, cutoff: 7 }],
  time: { end: 1, step: 0.1 },
});

const massWithin = (r: number) => r ** 3 / (r * r + SCALE ** 2) ** 1.5 / (7 ** 3 / (49 + SCALE ** 2) ** 1.5);
const newton = (r: number) => massWithin(Math.min(r, 7)) / r ** 2;
/** r² (ν − 1) g_N/G */
const phantomWithin = (r: number) => r * r * (modified("simple", 1, newton(r)) - newton(r));

async function phantomOf(backend: "cpu" | "webgpu", formulation: "qumond" | "aqual"): Promise<PhantomMatter> {
  const scenario = completeScenario(sphere(formulation));
  const simulation = await Simulation.create(scenario, backend === "cpu" ? { backend } : { gpu: gpu() });
  const phantom = await simulation.phantomMatter();
  simulation.destroy();
  return phantom!;
}

describe.each(["qumond", "aqual"] as const)("phantom matter in %s", (formulation) => {
  it("is that of a sphere in closed form, by its density, its speeds and its maps", async () => {
    const [onGpu, onCpu] = await Promise.all([phantomOf("webgpu", formulation), phantomOf("cpu", formulation)]);
    const most = onCpu.density.reduce((largest, rho) => Math.max(largest, rho), 0);
    const apart = onGpu.density.reduce((largest, rho, i) => Math.max(largest, Math.abs(rho - onCpu.density[i])), 0);
    // Measured: 2e-5 of the largest.
    expect(apart / most).toBeLessThan(1e-4);
    const edges = [2, 3, 4, 5, 6];
    for (const [i, density] of onGpu.shells(edges, CENTRE).density.entries()) {
      // Measured: up to 4 %, shells of cells and 30 000 particles.
      const volume = ((4 * Math.PI) / 3) * (edges[i + 1] ** 3 - edges[i] ** 3);
      const expected = (phantomWithin(edges[i + 1]) - phantomWithin(edges[i])) / volume;
      expect(Math.abs(density / expected - 1)).toBeLessThan(0.05);
    }
    const radii = [3, 5];
    const speeds = onGpu.circularSpeeds(CENTRE, [...radii, 11.9]);
    for (const [i, R] of radii.entries()) {
      const square = R * newton(R);
      expect(speeds.newton[i] / Math.sqrt(square)).toBeCloseTo(1, 1);
      expect(speeds.phantom[i] / Math.sqrt(phantomWithin(R) / R)).toBeCloseTo(1, 1);
    }
    expect(speeds.newton[2]).toBeNaN();
    const total = onGpu.density.reduce((sum, rho) => sum + rho, 0) * (SIZE / CELLS) ** 3;
    for (const [axis, width] of [
      ["z", 400],
      ["x", 7],
    ] as const) {
      const map = onGpu.map({ axis, centre: CENTRE, span: SIZE, width, height: width });
      expect(map.reduce((sum, mass) => sum + mass, 0) / total).toBeCloseTo(1, 9);
    }
    // What is on the upper left of a map is at small x and large y.
    const corner = onGpu.map({ axis: "z", centre: [6, 18, 12], span: 12, width: 24, height: 24 });
    const within = onGpu.density.filter((_, i) => i % CELLS < 24 && Math.floor(i / CELLS) % CELLS >= 24);
    expect(corner.reduce((sum, mass) => sum + mass, 0) * (CELLS / SIZE) ** 3).toBeCloseTo(
      within.reduce((sum, rho) => sum + rho, 0),
      9,
    );
    expect(corner[23 * 24 + 23]).toBeGreaterThan(corner[0]);
  });
});

describe("a run with phantom matter", () => {
  const work = useFolder("phantom");
  const once = useKilledRun(
    work,
    `
title = "Dwarf"
box = { size = 16.0 }
mesh = { cells = 16 }
mond = { formulation = "aqual", a0 = 1.0, externalField = [0.1, 0.0, 0.2] }
time = { end = 0.2, step = 0.05 }
output = { snapshots = 2, diagnostics = 2, phantom = true, checkpointMinutes = 1e-9 }
maps = { count = 2, phantom = true, width = 32, by = "component" }
[[particles]]
kind = "plummer"
name = "dwarf"
count = 300
cutoff = 4.0
`,
  );

  it("has its density and its maps, and the same bits after it was killed", async () => {
    const { value, shape } = await dataSetOf(join(once.whole, "phantom.hdf5"), "PhantomDensity");
    expect(shape).toEqual([3, 16, 16, 16]);
    const map = await dataSetOf(join(once.whole, "maps.hdf5"), "density_z phantom matter");
    expect(map.shape).toEqual([3, 32, 32]);
    const last = (of: { value: Float32Array | Float64Array }) =>
      Float64Array.from(of.value.slice((2 * of.value.length) / 3)).reduce((sum, x) => sum + x, 0);
    expect((last(map) * (16 / 32) ** 2) / last({ value })).toBeCloseTo(1, 5);
    const [first] = once.killed;
    expect(await runOnCpu({ resume: first })).toBe(0);
    expect(await contentsOfRun(first)).toEqual(once.contents);
  });
});
