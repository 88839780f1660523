/** Closed-form and independently computed values (docs/accuracy.md) that the float64 stages must reproduce. */
import { describe, expect, it } from "vitest";
import { ewaldField } from "../../src/engine/diagnostics/ewald.ts";
import type { PaddedKernel } from "../../src/engine/mesh/poisson/greens.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import { erfc } from "../../src/foundation/base/erfc.ts";
import { isolatedFft } from "../support/isolated-fft.ts";

describe("Ewald field of a periodic point mass", () => {
  it("has the published values", () => {
    expect(-ewaldField(0.25, 0, 0).acceleration[0]).toBeCloseTo(14.75354042354, 10);
    for (const a of ewaldField(0.1, 0.1, 0.1).acceleration) expect(-a).toBeCloseTo(18.850425793365, 11);
    expect(ewaldField(1e-4, 0, 0).potential + 1e4).toBeCloseTo(2.837297479258, 7);
  });

  it("vanishes half-way to the images and repeats with the box", () => {
    expect(Math.hypot(...ewaldField(0.5, 0.5, 0.5).acceleration)).toBeLessThan(1e-13);
    expect(ewaldField(1.2, -0.9, 0.3).potential).toBeCloseTo(ewaldField(0.2, 0.1, 0.3).potential, 12);
  });

  it("rests on a right erfc", () => {
    expect(erfc(0.5)).toBeCloseTo(0.4795001221869535, 15);
    expect(erfc(2) / 0.004677734981047266).toBeCloseTo(1, 12);
    expect(erfc(4) / 1.541725790028002e-8).toBeCloseTo(1, 12);
  });
});

describe("7-point lattice Green's function", () => {
  // −Δ₇G = δ with unit cells: G = −φ/4π of a unit mass in one cell. In a periodic box of n cells the background and
  // the images shift it by ξ/(4πn), ξ = 2.837297…, and by terms of order n⁻³, which two boxes eliminate.
  const boxes = [64, 128].map((n) => {
    const density = new Float64Array(n ** 3);
    density[0] = 1;
    const potential = PoissonFft.periodic(n, n, 1, "discrete").potential(density);
    return (x: number, y: number) => (2.837297479258 / n - potential[y * n + x]) / (4 * Math.PI);
  });
  const greens = (x: number, y: number) => (8 * boxes[1](x, y) - boxes[0](x, y)) / 7;

  it.each([
    [0, 0, 0.252731009859],
    [1, 0, 0.086064343192],
    [1, 1, 0.055191433688],
  ])("G(%i, %i, 0) = %d", (x, y, expected) => {
    expect(Math.abs(greens(x, y) - expected)).toBeLessThan(1e-9);
  });

  it("4πrG(10, 0, 0) = 1.00257791", () => {
    expect(Math.abs(40 * Math.PI * greens(10, 0) - 1.00257791)).toBeLessThan(1e-4);
  });
});

describe("open-boundary potential of a Gaussian", () => {
  const n = 48;

  /** Largest error over the peak of the potential, for a Gaussian at an offset from the centre of the box. */
  function error(kernel: PaddedKernel, sigma: number, offset: number[]): number {
    const density = new Float64Array(n ** 3);
    const exact = new Float64Array(n ** 3);
    for (let i = 0; i < n ** 3; i++) {
      const cell = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)];
      const r2 = cell.reduce((sum, c, axis) => sum + (c + 0.5 - n / 2 - offset[axis]) ** 2, 0);
      const r = Math.sqrt(r2);
      density[i] = Math.exp(-r2 / (2 * sigma ** 2)) / (2 * Math.PI * sigma ** 2) ** 1.5;
      exact[i] = -(1 - erfc(r / (Math.SQRT2 * sigma))) / r;
    }
    const potential = isolatedFft(n, n, 1, kernel).potential(density);
    const peak = Math.sqrt(2 / Math.PI) / sigma;
    return potential.reduce((most, phi, i) => Math.max(most, Math.abs(phi - exact[i]) / peak), 0);
  }

  it("truncated kernel: 5e-13 of the peak at σ = 2 cells", () => {
    expect(error("truncated", 2, [0, 0, 0])).toBeLessThan(5e-13);
  });

  it("truncated kernel: what is left is the Gaussian's own power beyond the Nyquist mode", () => {
    // Anywhere in a cell at most 2.3e-12 at σ = 2, and rounding once σ = 2.5.
    expect(error("truncated", 2, [0.25, 0.25, 0.25])).toBeLessThan(2.5e-12);
    expect(error("truncated", 2.5, [0.25, 0.25, 0.25])).toBeLessThan(5e-15);
  });

  it("cell-integrated kernel: 8e-3", () => {
    expect(error("cell-integrated", 2, [0, 0, 0])).toBeLessThan(8.2e-3);
    expect(error("cell-integrated", 2, [0, 0, 0])).toBeGreaterThan(7e-3);
  });
});
