/** Numerical checks: errors against what isn't zero, steps that resolve nothing, faults named with column, step and cause. */
import { describe, expect, it } from "vitest";
import { energyScale, momentumScale } from "../../src/engine/diagnostics/columns/scales.ts";
import { causeOf, nonFinite, registerColumn } from "../../src/engine/diagnostics/columns.ts";
import { ReferenceDirect } from "../../src/engine/reference/direct/pipeline.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { CosmicEnergyAccount, leastCosmicEnergy } from "../../src/physics/cosmology/layzer-irvine.ts";
import { assignments } from "../../src/physics/particles/assignments.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { directPipelineSettings } from "../support/direct-reference.ts";
import { useGpu } from "../support/gpu.ts";
import { particleSet, plummerSphere } from "../support/particles.ts";
import { meshSettings } from "../support/point-mass.ts";

const MESH = { boxSize: 8, G: 1, externalPotentials: [], mesh: meshSettings({ cells: 16 }) };

function deck(changes: object = {}) {
  return completeScenario({
    title: "A small sphere",
    box: { size: 10 },
    mesh: { cells: 16 },
    particles: [{ kind: "plummer", count: 200, scale: 1, cutoff: 2 }],
    time: { end: 0.1, step: 0.1 },
    ...changes,
  });
}

describe("relative errors", () => {
  it("are numbers for particles at rest at one point, and small where nothing is lost", async () => {
    const particles = particleSet(Array(300).fill(4.7), Array(300).fill(0), Array(100).fill(0.01));
    for (const changes of [{}, { gravity: "direct", direct: { softening: 0.1 } }, { gravity: "direct" }]) {
      const simulation = await Simulation.create(deck(changes), { backend: "cpu", particles });
      expect(await simulation.diagnostics()).toMatchObject({
        virialRatio: 0,
        momentumError: 0,
        relativeEnergyError: 0,
      });
      await simulation.advance();
      const row = await simulation.diagnostics();
      expect(nonFinite(row)).toBeUndefined();
      expect(row.momentumError).toBeLessThan(1e-9);
      expect(Math.abs(row.relativeEnergyError)).toBeLessThan(1e-9);
    }
  });

  it("are against the parts of an energy that cancel, and the box's where there is none", () => {
    const [virial, cancelling, none] = [
      [0.25, -0.5],
      [0.5, -0.5],
      [0, 0],
    ].map(([kinetic, potential]) => ({ kinetic, potential }));
    expect(energyScale(virial, virial, 1)).toBe(0.25);
    expect(energyScale(cancelling, cancelling, 1)).toBeCloseTo(0.1, 12);
    expect(energyScale(none, cancelling, 1)).toBeCloseTo(0.1, 12); // structure that grows from a uniform box
    expect(energyScale(none, none, 3)).toBeCloseTo(3e-6, 18);
    expect(momentumScale(2, { kinetic: 1, potential: -4 }, 4, 1)).toBe(4);
    expect(momentumScale(2, { kinetic: 0, potential: -1 }, 0, 0)).toBeCloseTo(2e-3, 12);
  });

  it("of an expanding box without structure are no quotients of two roundings", () => {
    const account = new CosmicEnergyAccount(undefined, 1e-9);
    account.add({ a: 0.1, kinetic: 0, potential: -1e-25 });
    expect(Math.abs(account.add({ a: 0.2, kinetic: 0, potential: 1e-25 }).relative)).toBeLessThan(1e-12);
    expect(new CosmicEnergyAccount().add({ a: 0.1, kinetic: 0, potential: 0 }).relative).toBe(0);
    const nothing = new CosmicEnergyAccount({ initial: 0, integral: 0, last: { a: 0.1, kinetic: 0, potential: 0 } });
    expect(nothing.add({ a: 0.2, kinetic: 0, potential: 0 }).relative).toBe(0);
  });
});

describe("the cosmic energy's residual", () => {
  const gpu = useGpu();

  /** Σ A A A G of a particle with its own cloud [Gm/h], at f from the lower of the nearest centres along each axis. */
  function own(assignment: "cic" | "tsc", f: number[]): number {
    const n = 16;
    const near = f.map((u) => {
      const d = u - 0.5;
      const w = assignment === "cic" ? [1 - u, u] : [0.5 * (0.5 - d) ** 2, 0.75 - d * d, 0.5 * (0.5 + d) ** 2];
      const sums = new Map<number, number>();
      for (const [i, a] of w.entries()) {
        for (const [j, b] of w.entries()) sums.set(i - j, (sums.get(i - j) ?? 0) + a * b);
      }
      return Array.from({ length: n }, (_, k) =>
        [...sums].reduce((sum, [s, a]) => sum + a * Math.cos((2 * Math.PI * k * s) / n), 0),
      );
    });
    const s2 = Array.from({ length: n }, (_, k) => 4 * Math.sin((Math.PI * k) / n) ** 2);
    let sum = 0;
    for (let m = 1; m < n ** 3; m++) {
      const [x, y, z] = [m % n, Math.floor(m / n) % n, Math.floor(m / n ** 2)];
      sum -= (4 * Math.PI * near[0][x] * near[1][y] * near[2][z]) / (s2[x] + s2[y] + s2[z]) / n ** 3;
    }
    return sum;
  }

  it("is told in no less than what particles' own clouds make of it", () => {
    // Gauss's: the energies are polynomials of the fourth order along an axis.
    const nodes = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)].map((at, i) => ({
      at,
      w: i === 1 ? 4 / 9 : 5 / 18,
    }));
    for (const [assignment, corner] of [
      ["cic", 0.5],
      ["tsc", 1],
    ] as const) {
      const places = nodes.flatMap((x) =>
        nodes.flatMap((y) => nodes.map((z) => ({ f: [x.at, y.at, z.at], w: x.w * y.w * z.w }))),
      );
      const mean = places.reduce((sum, { f, w }) => sum + w * own(assignment, f), 0);
      const change = own(assignment, [corner, corner, corner]) - mean;
      expect(Math.abs(change / assignments[assignment].ownEnergyChange - 1), assignment).toBeLessThan(0.005);
    }
    const of = { G: 2, mass: 3, count: 10, h: 0.5, size: 16 };
    expect(leastCosmicEnergy(of, "cic")).toBeCloseTo((40 * 0.465 * 2 * 9) / (2 * 10 * 0.5), 9);
    expect(leastCosmicEnergy(of, "ngp")).toBeCloseTo((1e-9 * 2 * 9) / 16, 20);
  });

  it.each(["cpu", "webgpu"] as const)("stays small in a healthy box from its first row on, %s", async (backend) => {
    const box = completeScenario({
      ...{ title: "A box", units: { system: "cosmological" }, box: { size: 50, boundary: "periodic" } },
      mesh: { cells: 32, assignment: "cic" },
      particles: [{ kind: "lattice", perSide: 16, order: 1, seed: 1 }],
      time: { clock: "comoving", start: 0.02, end: 0.1, step: 0.02 },
      output: { snapshots: 1, diagnostics: 4 },
    });
    const simulation = await Simulation.create(box, backend === "webgpu" ? { gpu: gpu() } : { backend });
    const errors: number[] = [];
    while (!simulation.done) {
      await simulation.advance({ output: simulation.output + 1 });
      errors.push(Math.abs((await simulation.diagnostics()).relativeEnergyError));
    }
    simulation.destroy();
    expect(Math.max(...errors)).toBeLessThan(0.05);
    expect(Math.max(...errors)).toBeGreaterThan(1e-3);
  });
});

describe("a step too long", () => {
  it("moves no particle half a box on the CPU either", async () => {
    for (const boundary of ["isolated", "periodic"] as const) {
      const particles = particleSet([4, 4, 4, 4.5, 4, 4], [0, 0, 0, 0, 0, -41], [1, 1]);
      const pipeline = await ReferencePipeline.create({ ...MESH, boundary }, particles);
      await expect(pipeline.advance(1, 0.1)).rejects.toMatchObject({
        kind: "numerical",
        message: expect.stringMatching(
          /step 1, particle 1: a particle moved half a box or more in one step.*time\.step/,
        ),
      });
    }
  });

  it("takes no particle further from the mesh than 511 boxes", async () => {
    const pipeline = await ReferencePipeline.create(
      { ...MESH, boundary: "isolated" },
      particleSet([4, 4, 4, 8 * 511.9, 4, 4], [0, 0, 0, 30, 0, 0], [1, 1]),
    );
    await expect(pipeline.advance(9, 0.1)).rejects.toThrow(/particle 1: a particle is more than 511 boxes away/);
  });

  it("is refused before the first when an orbit doesn't hold one", async () => {
    const long = { time: { end: 100, step: 100 } };
    const direct = { softening: 0.1, steps: "shared" };
    const create = (changes: object) => Simulation.create(deck({ ...long, ...changes }), { backend: "cpu" });
    await expect(create({})).rejects.toMatchObject({
      kind: "scenario",
      message: expect.stringMatching(
        /^time\.step: expected less than an orbit .*, \d+\.\d+, found a step of 100, .* Try time\.step = 0\.\d+, or time\.step = "adaptive"/,
      ),
    });
    await expect(create({ gravity: "direct", direct })).rejects.toThrow(/or direct\.steps = "block"/);
    (await create({ gravity: "direct", direct: { ...direct, steps: "block" } })).destroy();
  });

  it("that a direct sum divides is told as it goes, by the CPU too", async () => {
    const direct = { integrator: "hermite-4", steps: "block", softening: 1 / 256, nu: 0.01 } as const;
    const backend = new ReferenceDirect(directPipelineSettings(direct, 100), await plummerSphere(1024, 8));
    const stop = new AbortController();
    const told: number[] = [];
    const onProgress = (steps: number) => {
      told.push(steps);
      stop.abort();
    };
    await expect(backend.advance(1, 100, { onProgress, signal: stop.signal })).rejects.toThrow(/stopped after/);
    expect(told[0]).toBeGreaterThan(0);
    expect(told[0]).toBeLessThan(0.01);
    expect(backend.counters().blocks).toBeLessThan(2000);
  });
});

describe("a diagnostic that is no number", () => {
  it("ends a run with its column, step and cause", async () => {
    registerColumn({
      name: "half",
      heads: ["half_a", "half_b"],
      unit: "",
      meaning: "",
      of: ({ step }) => [1, 1 / (1 - step)],
    });
    const simulation = await Simulation.create(deck(), { backend: "cpu" });
    expect(nonFinite(await simulation.diagnostics())).toBeUndefined();
    await simulation.advance();
    await expect(simulation.diagnostics()).rejects.toMatchObject({
      kind: "numerical",
      message: expect.stringMatching(
        /^diagnostics at time 0\.1, step 1: expected a number for half_b, found Infinity: .*largest numbers are position \S+, velocity/,
      ),
    });
  });

  it("has the particle that isn't one for a cause", () => {
    const particles = particleSet([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, Number.NaN, 0], [1, 1]);
    particles.components = [{ name: "galaxy", species: "stars", first: 1, count: 1 }];
    expect(causeOf(particles)).toBe("the velocity of particle 1 of galaxy is 1, NaN, 0");
    expect(causeOf(particleSet([1, 2, 3], [1e30, 0, 0], [1e300]))).toContain("mass 1.00e+300");
  });
});
