/** The isolated FFT Poisson solver against potentials known in closed form; random mass is in the doctor's checks. */
import { describe, expect, it } from "vitest";
import type { PaddedKernel } from "../../src/engine/mesh/poisson/greens.ts";
import type { PoissonSettings } from "../../src/engine/mesh/poisson/poisson-solver.ts";
import type { PoissonFft as ReferenceFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import { expectClose, expectSpectralGradient, FFT_SHAPES, solvedByFft } from "../support/fft-solver.ts";
import { useGpu } from "../support/gpu.ts";
import { isolatedFft } from "../support/isolated-fft.ts";
import { uniformNumbers } from "../support/mesh-mass.ts";

const gpu = useGpu();

const SETTINGS: PoissonSettings = {
  boundary: "isolated",
  green: "discrete",
  kernel: "truncated",
  boxSize: 20,
  G: 43.007,
  massUnit: 1.5 / 2 ** 22,
  assignment: "cic",
  gradient: "4-point",
};

function reference(n: number, { boxSize, G, kernel }: PoissonSettings): ReferenceFft {
  return isolatedFft(n, boxSize, G, kernel as PaddedKernel);
}

function random(n: number, seed: number): Float64Array {
  return uniformNumbers(n ** 3, seed).map((u) => Math.floor(u ** 8 * 2 ** 24));
}

const solve = (n: number, units: Float64Array, settings: PoissonSettings) => solvedByFft(gpu(), n, units, settings);

describe.each(FFT_SHAPES)("isolated potential, shape %s", (shape) => {
  it("of two masses in opposite corners: nothing wraps around", async () => {
    const n = 24;
    const settings = { ...SETTINGS, kernel: "cell-integrated" as const, shape };
    const units = new Float64Array(n ** 3);
    units[0] = 2 ** 22;
    units[n ** 3 - 1] = 2 ** 40 + 12345;
    const { potential } = await solve(n, units, settings);
    const h = settings.boxSize / n;
    const GM = (i: number) => settings.G * settings.massUnit * units[i];
    const expected = Float64Array.from({ length: n ** 3 }, (_, i) => {
      const [x, y, z] = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)];
      const near = Math.hypot(x, y, z);
      const far = Math.hypot(n - 1 - x, n - 1 - y, n - 1 - z);
      const inverse = (r: number) => (r === 0 ? 2.38007733 : 1 / r) / h;
      return -GM(0) * inverse(near) - GM(n ** 3 - 1) * inverse(far);
    });
    expectClose(potential, expected);
  });

  it("of a Gaussian, σ = 2 cells, off the centre", async () => {
    const n = 64;
    const settings = { ...SETTINGS, shape };
    const h = settings.boxSize / n;
    const sigma = 2 * h;
    const centre = [0.45, 0.52, 0.6].map((fraction) => fraction * settings.boxSize);
    const radius = (i: number) =>
      Math.hypot(
        ...[i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)].map((cell, axis) => (cell + 0.5) * h - centre[axis]),
      );
    const mass = 1e4;
    const units = Float64Array.from({ length: n ** 3 }, (_, i) => {
      const rho = (mass * Math.exp(-0.5 * (radius(i) / sigma) ** 2)) / (2 * Math.PI * sigma ** 2) ** 1.5;
      return Math.round((rho * h ** 3) / settings.massUnit);
    });
    const { potential } = await solve(n, units, settings);
    const expected = Float64Array.from({ length: n ** 3 }, (_, i) => {
      const r = radius(i);
      return (-settings.G * mass * errorFunction(r / (Math.SQRT2 * sigma))) / r;
    });
    expectClose(potential, expected);
  });

  it("of an empty mesh is zero", async () => {
    const { potential } = await solve(16, new Float64Array(16 ** 3), { ...SETTINGS, shape });
    expect(potential.every((value) => value === 0)).toBe(true);
  });

  it("has a spectral gradient", async () => {
    const n = shape === "line" ? 24 : 16;
    const units = random(n, n + 1);
    const settings = { ...SETTINGS, shape };
    await expectSpectralGradient(gpu(), n, units, settings, reference(n, settings));
  });
});

describe("the isolated solver", () => {
  it("holds its kernel and tables, no padded mesh", async () => {
    const n = 24;
    const { memory, shape } = await solve(n, random(n, 1), SETTINGS);
    expect(FFT_SHAPES).toContain(shape);
    expect(memory).toBeGreaterThan(4 * (n + 1) ** 3);
    expect(memory).toBeLessThan(4 * (n + 1) ** 3 + 4096);
  });
});

/** erf by its Taylor series (x < 3) or 1 less its continued fraction, to 1e-15. */
function errorFunction(x: number): number {
  if (x < 3) {
    let term = x;
    let sum = x;
    for (let k = 1; k < 100; k++) {
      term *= (-x * x) / k;
      sum += term / (2 * k + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = x;
  for (let k = 60; k > 0; k--) fraction = x + k / 2 / fraction;
  return 1 - Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}
