/** Transfer functions of levels beside the closed forms that they are made of. */
import { describe, expect, it } from "vitest";
import { bandSpectrum, smoothFine, smoothSpectrum } from "../../src/engine/mesh/levels/level-kernels.ts";
import { type ForceScheme, sampled, withExcess } from "../../src/engine/mesh/poisson/split-kernels.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import { SplitPoisson } from "../../src/engine/reference/mesh/poisson-split.ts";
import { erfc } from "../../src/foundation/base/erfc.ts";
import { uniformNumbers } from "../support/mesh-mass.ts";

const SCHEME: ForceScheme = { assignment: "tsc", gradient: "4-point" };

function made<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** S/B² in a mode of a mesh with h = 1, whose cells' assignment and differences are `fine` long; without B unless `splines`. */
function smoothing(mode: number[], split: number, fine: number, splines: boolean): number {
  const sinc = (x: number) => (x === 0 ? 1 : Math.sin(x) / x);
  const product = (f: (k: number) => number) => mode.reduce((all, k) => all * f(k), 1);
  const k2 = mode.reduce((sum, k) => sum + k * k, 0);
  const window = product((k) => sinc((k * fine) / 2) ** 3);
  const gradient =
    mode.reduce((sum, k) => sum + (k * (8 * Math.sin(k * fine) - Math.sin(2 * k * fine))) / (6 * fine), 0) / k2;
  const spline = splines ? product((k) => sinc(k / 2) ** 4) : 1;
  return Math.exp(-k2 * split ** 2) / (window ** 2 * gradient * spline ** 2);
}

/** Largest difference of an octant from −4π f(k)/k² in the modes but k = 0, as a share of −4π/k²'s at the longest wave. */
function error(octant: Float64Array, period: number, f: (mode: number[]) => number): number {
  const modes = period / 2 + 1;
  const step = (2 * Math.PI) / period;
  let largest = 0;
  for (let i = 1; i < octant.length; i++) {
    const mode = [i % modes, Math.floor(i / modes) % modes, Math.floor(i / modes ** 2)].map((m) => m * step);
    const k2 = mode.reduce((sum, k) => sum + k * k, 0);
    largest = Math.max(largest, Math.abs(octant[i] * period ** 3 + (4 * Math.PI * f(mode)) / k2));
  }
  return (largest * step ** 2) / (4 * Math.PI);
}

describe("transfer functions of levels", () => {
  it("a band is what the level's smoothing leaves of its parent's, but for what wraps around", () => {
    for (const [refinement, child] of [
      [2, 4],
      [4, 2],
    ] as const) {
      const cells = 16 * refinement;
      const band = made(bandSpectrum(SCHEME, { cells, refinement }, child, 1));
      const expected = (mode: number[]) =>
        smoothing(mode, 1.25, 1 / child, true) - smoothing(mode, 1.25 * refinement, 1, false);
      expect(error(band, cells, expected)).toBeLessThan(1e-6);
      const limit = (1.25 * refinement) ** 2 - 1.25 ** 2 + (3 / child ** 2 - 3 + 4) / 12;
      expect((band[0] * cells ** 3) / (-4 * Math.PI * limit)).toBeCloseTo(1, 5);
    }
  });

  it("the smooth part of a periodic box", () => {
    const octant = made(smoothSpectrum({ ...SCHEME, cells: 16 }, 4, 1));
    expect(error(octant, 16, (mode) => smoothing(mode, 1.25, 0.25, true))).toBeLessThan(1e-14);
    expect(octant[0]).toBe(0);
  });

  it("the smooth part of an isolated box from two meshes is that of one padded mesh", async () => {
    const [cells, h, refinement] = [24, 0.5, 4];
    const mesh = { ...SCHEME, cells };
    const density = uniformNumbers(cells ** 3, 7).map((u) => u ** 8);
    const lattice = { period: 2 * cells, h };
    const plain = sampled(lattice.period, h, (r) =>
      r === 0 ? -1 / (1.25 * Math.sqrt(Math.PI)) : (erfc(r / 2.5) - 1) / r,
    );
    const spectrum = made(
      withExcess(mesh, plain, [{ sign: -1, split: 1.25, fine: 1 / refinement, spline: 4 }], lattice),
    );
    const padded = PoissonFft.withKernel({ cells, period: 2 * cells, h, G: 1, spectrum }).potential(density);
    const solver = await SplitPoisson.create(mesh, cells * h, 1, (side) => smoothFine(mesh, refinement, side));
    const split = solver.potential(density);
    const worst = Math.max(...split.map((value, i) => Math.abs(value - padded[i])));
    expect(worst / Math.max(...padded.map(Math.abs))).toBeLessThan(2e-5);
  });
});
