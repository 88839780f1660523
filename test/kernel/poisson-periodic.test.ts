/** The periodic FFT Poisson solver against the float64 one, on mass of great contrast; random mass is in the doctor's checks. */
import { describe, expect, it } from "vitest";
import { meanWords } from "../../src/engine/mesh/poisson/poisson-periodic.ts";
import type { PoissonSettings } from "../../src/engine/mesh/poisson/poisson-solver.ts";
import { PoissonFft as ReferenceFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import { density, expectClose, expectSpectralGradient, FFT_SHAPES, solvedByFft } from "../support/fft-solver.ts";
import { useGpu } from "../support/gpu.ts";
import { laplacian7 } from "../support/lattice-greens.ts";
import { relativeErrors, uniformNumbers } from "../support/mesh-mass.ts";

const gpu = useGpu();

const SETTINGS: PoissonSettings = {
  boundary: "periodic",
  green: "exact",
  kernel: "truncated",
  boxSize: 3.7,
  G: 43.007,
  massUnit: 2.5 / 2 ** 22,
  assignment: "cic",
  gradient: "4-point",
};

function reference(n: number, { boxSize, G, green }: PoissonSettings): ReferenceFft {
  return ReferenceFft.periodic(n, boxSize, G, green);
}

/** Cells of very different mass: most light, a few past 2^32 and 2^48 units. */
function contrasted(n: number, seed: number): Float64Array {
  return uniformNumbers(n ** 3, seed).map((u, i) =>
    Math.floor(u * (i % 97 === 5 ? 2 ** 36 : i === 1234 ? 2 ** 50 : 2 ** 24)),
  );
}

function random(n: number, seed: number): Float64Array {
  return uniformNumbers(n ** 3, seed).map((u) => Math.floor(u * 2 ** 23));
}

const total = (units: Float64Array) => units.reduce((sum, count) => sum + count, 0);

const solve = (n: number, units: Float64Array, settings: PoissonSettings, layout: { pitch?: number } = {}) =>
  solvedByFft(gpu(), n, units, { totalUnits: total(units), ...settings }, layout);

describe.each(FFT_SHAPES)("periodic potential, shape %s", (shape) => {
  it("of rows that are further apart than they need be: the same bits", async () => {
    const settings = { ...SETTINGS, shape };
    const units = random(24, 24);
    const { potential } = await solve(24, units, settings, { pitch: 64 });
    expect(potential).toEqual((await solve(24, units, settings)).potential);
  });

  it("of masses past 32 bits", async () => {
    const settings = { ...SETTINGS, shape };
    const units = contrasted(24, 7);
    const { potential } = await solve(24, units, settings);
    expectClose(potential, reference(24, settings).potential(density(units, 24, settings)));
  });

  it("without the total: the mean's rounding enters", async () => {
    const settings = { ...SETTINGS, shape, totalUnits: 0 };
    const units = random(24, 9);
    const { potential } = await solve(24, units, settings);
    const expected = reference(24, settings).potential(density(units, 24, settings));
    expect(relativeErrors(potential, expected).rms).toBeLessThan(5e-6);
  });

  it("keeps the contrast of a nearly uniform box", async () => {
    const n = 24;
    // 1000 ± 1 particles of 2^22 units a cell: a density contrast of 1e-3 in cells of 2^32 units.
    const units = uniformNumbers(n ** 3, 3).map((u) => 1024 * 2 ** 22 + Math.floor((u - 0.5) * 2 ** 23));
    const settings = { ...SETTINGS, shape };
    const { potential } = await solve(n, units, settings);
    const mean = total(units) / n ** 3;
    const contrast = units.map((count) => count - mean);
    expectClose(potential, reference(n, settings).potential(density(contrast, n, settings)));
  });

  it("solves the 7-point equation with the discrete Green's function", async () => {
    const n = 24;
    const settings = { ...SETTINGS, green: "discrete" as const, shape };
    const units = random(n, 11);
    const { potential } = await solve(n, units, settings);
    const rho = density(units, n, settings);
    const mean = rho.reduce((sum, value) => sum + value, 0) / n ** 3;
    const source = rho.map((value) => 4 * Math.PI * settings.G * (value - mean));
    const { rms } = relativeErrors(laplacian7(Float64Array.from(potential), n, settings.boxSize / n), source);
    expect(rms).toBeLessThan(2e-5); // second differences magnify the rounding of φ
  });

  it("is zero on an empty mesh and on a uniform one", async () => {
    for (const count of [0, 2 ** 22 * 5]) {
      const units = new Float64Array(24 ** 3).fill(count);
      const { potential } = await solve(24, units, { ...SETTINGS, shape });
      expect(potential.every((value) => value === 0)).toBe(true);
    }
  });

  it("has a spectral gradient", async () => {
    const n = shape === "line" ? 32 : 24;
    const units = random(n, n + 1);
    const settings = { ...SETTINGS, shape, totalUnits: total(units) };
    await expectSpectralGradient(gpu(), n, units, settings, reference(n, settings));
  });
});

describe("the periodic solver", () => {
  it("agrees between its shapes and chooses one", async () => {
    const units = random(24, 5);
    const [line, workgroup, chosen] = [
      await solve(24, units, { ...SETTINGS, shape: "line" }),
      await solve(24, units, { ...SETTINGS, shape: "workgroup" }),
      await solve(24, units, SETTINGS),
    ];
    expectClose(line.potential, workgroup.potential);
    expect(FFT_SHAPES).toContain(chosen.shape);
    expectClose(chosen.potential, line.potential);
    expect(chosen.memory).toBeLessThan(4096); // tables only
  });

  it("splits the mean into words", () => {
    expect(meanWords(16 ** 3 * (2 ** 40 + 3), 16)).toEqual([3, 256]);
    expect(meanWords(0, 16)).toEqual([0, 0]);
  });
});
