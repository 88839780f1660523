import { describe, expect, it } from "vitest";
import {
  FLOAT32_FLOOR,
  type MultigridSettings,
  multigridPresets,
} from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import { MultigridSolver } from "../../src/engine/reference/mesh/multigrid.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { wholeArrays } from "../../src/physics/particles/saved-arrays.ts";
import type { SavedArrays } from "../../src/physics/particles/state.ts";
import { firstDifference } from "../support/compare.ts";
import { useGpu } from "../support/gpu.ts";
import {
  BOX,
  float32Reach,
  G,
  type Mass,
  MEAN,
  massOf,
  randomMass,
  type Use,
  withMultigrid,
} from "../support/multigrid-solver.ts";

const gpu = useGpu();

function withSolver(
  cells: number,
  boundary: Boundary,
  changes: Partial<MultigridSettings>,
  use: Use,
  run: number | "measured" = 8,
): Promise<void> {
  return withMultigrid(gpu(), { cells, boundary, changes, ...(run !== "measured" && { run }) }, use);
}
function rms(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / values.length);
}

/** rms of the difference over the rms of what is expected. */
function relativeError(found: Float32Array, expected: Float64Array): number {
  return rms(expected.map((v, i) => v - found[i])) / rms(expected);
}

describe("the solver on the GPU", () => {
  // The doctor's checks have 16, 32 and 64.
  it.each([
    [48, "periodic", 4],
    [24, "isolated", 2],
  ] as const)("does what the float64 oracle does, cycle by cycle: %i, %s, order %i", async (n, boundary, order) => {
    const settings = { order, maxCycles: 2 };
    await withSolver(n, boundary, settings, async (solve) => {
      const oracle = new MultigridSolver(n, BOX, G, boundary, { ...multigridPresets.default, ...settings });
      for (const seed of [1, 2]) {
        const mass = randomMass(n, seed);
        const found = await solve(mass);
        expect(relativeError(found, oracle.potential(mass.density))).toBeLessThan(3e-6);
      }
    });
  });

  it.each([32, 48])(
    "converged as far as float32 goes, has the discrete Green's function's potential, %i",
    async (n) => {
      const mass = randomMass(n, 1);
      const expected = PoissonFft.periodic(n, BOX, G, "discrete").potential(mass.density);
      await withSolver(n, "periodic", { tolerance: 2 * FLOAT32_FLOOR, maxCycles: 12 }, async (solve) => {
        expect(relativeError(await solve(mass), expected)).toBeLessThan(1e-5);
      });
    },
  );

  it("reaches float32Reach for the sources that make it hardest, a long wave and a full isolated box", async () => {
    const n = 64;
    const wave = new Float64Array(n ** 3).map((_, i) => Math.round(MEAN * (1 + Math.cos((2 * Math.PI * (i % n)) / n))));
    for (const [boundary, units] of [
      ["periodic", wave],
      ["isolated", wave.map(() => MEAN)],
    ] as const) {
      const settings = { tolerance: float32Reach(n, boundary), maxCycles: 12 };
      await withSolver(n, boundary, settings, async (solve, multigrid) => {
        await solve(massOf(n, units));
        expect(multigrid.residuals.at(-1)).toBeLessThanOrEqual(settings.tolerance);
      });
    }
  });

  it("says what float32 reaches when the tolerance is below it", async () => {
    const n = 32;
    const even = massOf(n, new Float64Array(n ** 3).fill(MEAN));
    await withSolver(n, "isolated", { tolerance: FLOAT32_FLOOR, maxCycles: 12 }, async (solve) => {
      await expect(solve(even).then(() => "converged")).rejects.toThrow(
        /after 12 cycles .*float32 reaches \d\.\de-5 for this source: raise multigrid\.tolerance to \d/,
      );
    });
  });

  it.each(["periodic", "isolated"] as const)(
    "gives the same bits again, whatever the run length, %s",
    async (boundary) => {
      const n = 32;
      const results: Float32Array[] = [];
      for (const run of [2, 16, 16]) {
        const use = async (solve: (mass: Mass) => Promise<Float32Array>) => {
          await solve(randomMass(n, 1));
          results.push(await solve(randomMass(n, 2)));
        };
        await withSolver(n, boundary, { order: 4 }, use, run);
        await withSolver(n, boundary, { order: 2 }, use, run);
      }
      expect(firstDifference(results[2], results[0])).toBe("same");
      expect(firstDifference(results[4], results[0])).toBe("same");
      expect(firstDifference(results[3], results[1])).toBe("same");
      expect(firstDifference(results[5], results[1])).toBe("same");
    },
  );

  it.each([
    ["a fixed number of cycles", {}],
    ["a tolerance", { tolerance: 1e-4, maxCycles: 20 }],
  ])("continues with the same bits from a saved state, with %s", async (_, settings) => {
    const n = 24;
    const [first, second, third] = [1, 2, 3].map((seed) => randomMass(n, seed));
    let expected = new Float32Array(0);
    let current = new Float32Array(0);
    let state: SavedArrays = {};
    await withSolver(n, "isolated", settings, async (solve, multigrid) => {
      await solve(first);
      current = new Float32Array(await solve(second));
      state = await wholeArrays(multigrid.saveState());
      expected = new Float32Array(await solve(third));
    });
    await withSolver(n, "isolated", settings, async (solve, multigrid) => {
      await multigrid.restoreState(state);
      expect(await wholeArrays(multigrid.saveState())).toEqual(state);
      expect(firstDifference(await solve(second), current)).toBe("same");
      expect(firstDifference(await solve(third), expected)).toBe("same");
      await expect(
        multigrid.restoreState({ multigridPotential: new Float32Array(8), multigridCycles: Uint32Array.of(1) }),
      ).rejects.toThrow(/expected a potential of 13824 cells or none, found 8; resume with the mesh/);
    });
  });

  it("asks for the residual first after as many cycles as the last solve took", async () => {
    const n = 32;
    await withSolver(n, "periodic", { tolerance: 1e-4, maxCycles: 20 }, async (solve, multigrid) => {
      await solve(randomMass(n, 1));
      await solve(randomMass(n, 2));
      await solve(randomMass(n, 3));
      expect(multigrid.residuals.length).toBe(1);
      expect(multigrid.residuals[0]).toBeLessThan(1e-4);
    });
  });

  it("stops with residuals and advice when it misses its tolerance", async () => {
    await withSolver(32, "isolated", { tolerance: FLOAT32_FLOOR, maxCycles: 1 }, async (solve) => {
      const mass = randomMass(32, 1);
      await expect(solve(mass).then(() => "converged")).rejects.toThrow(
        /multigrid: expected a residual of at most 0\.000001 of the source, found .* after 1 cycle \(residuals seen: .*\)/,
      );
    });
  });

  it.each([
    [{ levels: 3, presmooth: 5, postsmooth: 5 }, 64],
    [{ levels: 2 }, 48],
  ])("takes fewer levels: %o on %i", async (settings, n) => {
    const mass = randomMass(n, 1);
    await withSolver(n, "periodic", { ...settings, maxCycles: 3 }, async (solve) => {
      const oracle = new MultigridSolver(n, BOX, G, "periodic", { ...multigridPresets.default, ...settings });
      expect(relativeError(await solve(mass), oracle.potential(mass.density))).toBeLessThan(3e-6);
    });
  });

  it("refuses settings that can't work", async () => {
    await expect(withSolver(16, "periodic", { maxCycles: 0 }, async () => {})).rejects.toThrow(
      /multigrid\.maxCycles: expected an integer from 1/,
    );
  });

  it("chooses a run length and gives its memory back", async () => {
    const before = gpu().buffers.bytes().total;
    await withSolver(
      32,
      "isolated",
      {},
      async (_, multigrid) => {
        expect([2, 8, 32]).toContain(multigrid.runLength);
      },
      "measured",
    );
    expect(gpu().buffers.bytes().total).toBe(before);
  });
});
