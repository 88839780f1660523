import { beforeAll, describe, expect, it } from "vitest";
import {
  allLevelSizes,
  type MultigridSettings,
  multigridPresets,
  multigridProblems,
  START_CYCLES,
} from "../../src/engine/mesh/multigrid/multigrid-settings.ts";
import { createHierarchy, cycleLevels, MultigridSolver } from "../../src/engine/reference/mesh/multigrid.ts";
import {
  compactSource,
  type GhostedLevel,
  removeMean,
  residualNorm,
  setFixedGhosts,
} from "../../src/engine/reference/mesh/multigrid-levels.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { isolatedFft } from "../support/isolated-fft.ts";
import { latticeGreens, latticeSolver } from "../support/lattice-greens.ts";
import { float32Reach } from "../support/multigrid-solver.ts";

const BOUNDARIES = ["periodic", "isolated"] as const satisfies Boundary[];
const converged = (changes: Partial<MultigridSettings> = {}): MultigridSettings => ({
  ...multigridPresets.default,
  tolerance: 1e-11,
  maxCycles: 30,
  ...changes,
});

/** Uniform in −½ … ½, the same at every run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

const place = (n: number, x: number, y: number, z: number) => ((z + 1) * (n + 2) + y + 1) * (n + 2) + x + 1;

/** Calls `use` for every cell with its index in [n³] and its centre in the unit box. */
function forEachCell(n: number, use: (i: number, x: number, y: number, z: number) => void): void {
  for (let z = 0, i = 0; z < n; z++) {
    for (let y = 0; y < n; y++) for (let x = 0; x < n; x++, i++) use(i, (x + 0.5) / n, (y + 0.5) / n, (z + 0.5) / n);
  }
}

function onMesh(n: number, f: (x: number, y: number, z: number) => number): Float64Array {
  const values = new Float64Array(n ** 3);
  forEachCell(n, (i, x, y, z) => {
    values[i] = f(x, y, z);
  });
  return values;
}

function largest(values: Float64Array): number {
  return values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return largest(a.map((v, i) => v - b[i]));
}

const plummer = (cx: number, cy: number, cz: number, a: number) => (x: number, y: number, z: number) =>
  (3 / (4 * Math.PI * a ** 3)) * (1 + ((x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2) / a ** 2) ** -2.5;

/** Residuals of cycles on random right-hand sides. */
function residuals(
  n: number,
  boundary: Boundary,
  cycles: number,
  settings: Parameters<typeof cycleLevels>[1],
  order: 2 | 4,
) {
  const levels = createHierarchy(allLevelSizes(n), boundary, order);
  const random = noise(n);
  const [finest] = levels;
  forEachCell(n, (i) => {
    finest.source[place(n, i % n, Math.floor(i / n) % n, Math.floor(i / n / n))] = random();
  });
  if (boundary === "periodic") removeMean(finest, finest.source);
  return Array.from({ length: cycles }, () => {
    cycleLevels(levels, settings);
    return residualNorm(finest);
  });
}

/** Asymptotic reduction per cycle: the mean over cycles 7 to 10. */
function asymptotic(n: number, boundary: Boundary, sweeps: number, omega: number, order: 2 | 4 = 2): number {
  const r = residuals(n, boundary, 10, { presmooth: sweeps, postsmooth: sweeps, omega }, order);
  return (r[9] / r[5]) ** (1 / 4);
}

describe("convergence per cycle", () => {
  // Measured figures of the method at 32³ (ω = 1.15 and 1 with two sweeps, ω = 1 with one).
  it.each([
    ["periodic", 2, 1.15, 0.06],
    ["periodic", 2, 1, 0.105],
    ["periodic", 1, 1, 0.21],
    ["isolated", 2, 1.15, 0.063],
    ["isolated", 2, 1, 0.108],
    ["isolated", 1, 1, 0.2],
  ] as const)("%s, %i sweeps, ω = %d: %d", (boundary, sweeps, omega, expected) => {
    const found = asymptotic(32, boundary, sweeps, omega);
    expect(found).toBeLessThan(1.05 * expected);
    expect(found).toBeGreaterThan(0.8 * expected);
  });

  it.each(BOUNDARIES)("doesn't depend on the mesh size, %s", (boundary) => {
    const factors = [24, 32, 48, 96].map((n) => asymptotic(n, boundary, 2, 1.15));
    expect(Math.max(...factors)).toBeLessThan(0.08);
    expect(Math.max(...factors) / Math.min(...factors)).toBeLessThan(1.2);
  });

  it.each(BOUNDARIES)("is the same in fourth order, %s", (boundary) => {
    expect(asymptotic(32, boundary, 2, 1.15, 4)).toBeLessThan(0.075);
  });
});

/** A periodic potential with its source, and one of an isolated Gaussian with values on the ghosts. */
function fillAnalytic(level: GhostedLevel, n: number): Float64Array {
  const h = 1 / n;
  const k = 2 * Math.PI;
  const exact = onMesh(n, (x, y, z) => Math.sin(k * x) * Math.sin(2 * k * y) * Math.cos(k * z) + Math.cos(k * x) / 2);
  forEachCell(n, (i, x, y, z) => {
    const rough = -6 * k * k * Math.sin(k * x) * Math.sin(2 * k * y) * Math.cos(k * z);
    level.source[place(n, i % n, Math.floor(i / n) % n, Math.floor(i / n / n))] =
      h * h * (rough - (k * k * Math.cos(k * x)) / 2);
  });
  removeMean(level, level.source);
  return exact;
}

function interior(level: GhostedLevel): Float64Array {
  const n = level.cells;
  const values = new Float64Array(n ** 3);
  forEachCell(n, (i) => {
    values[i] = level.potential[place(n, i % n, Math.floor(i / n) % n, Math.floor(i / n / n))];
  });
  return values;
}

describe("order of convergence", () => {
  it.each([
    [2, 4],
    [4, 16],
  ] as const)("periodic, order %i: halving the cell divides the error by %i", (order, ratio) => {
    const errors = [16, 32, 64].map((n) => {
      const levels = createHierarchy(allLevelSizes(n), "periodic", order);
      const exact = fillAnalytic(levels[0], n);
      if (order === 4) compactSource(levels[0]);
      for (let c = 0; c < 12; c++) cycleLevels(levels, { presmooth: 2, postsmooth: 2, omega: 1.15 });
      removeMean(levels[0], levels[0].potential);
      return largestDifference(interior(levels[0]), exact);
    });
    expect(errors[0] / errors[1]).toBeGreaterThan(0.85 * ratio);
    expect(errors[1] / errors[2]).toBeGreaterThan(0.9 * ratio);
  });

  it.each([
    [2, 4],
    [4, 16],
  ] as const)("isolated Gaussian, order %i: by about %i", (order, ratio) => {
    const sigma = 0.08;
    // φ = −erf(r/√2σ)/r with G = M = 1; the error near the centre is the discretisation's.
    const centre = (n: number) => {
      const density = onMesh(n, (x, y, z) => {
        const r2 = (x - 0.5) ** 2 + (y - 0.5) ** 2 + (z - 0.5) ** 2;
        return Math.exp(-r2 / (2 * sigma * sigma)) / (2 * Math.PI * sigma * sigma) ** 1.5;
      });
      const potential = new MultigridSolver(n, 1, 1, "isolated", converged({ order })).potential(density);
      return potential[((n / 2) * n + n / 2) * n + n / 2];
    };
    // At the corner of the box' centre cell: r = √3 h/2, series of erf(s)/s.
    const exact = (n: number) => {
      const s = Math.sqrt(3) / 2 / n / Math.SQRT2 / sigma;
      const series = 1 - s ** 2 / 3 + s ** 4 / 10 - s ** 6 / 42 + s ** 8 / 216;
      return (-(2 / Math.sqrt(Math.PI)) * series) / (Math.SQRT2 * sigma);
    };
    const [coarse, fine] = [16, 32].map((n) => Math.abs(centre(n) / exact(n) - 1));
    expect(coarse / fine).toBeGreaterThan(0.8 * ratio);
  });

  it.each(BOUNDARIES)("the first cycles reach the discretisation error, %s", (boundary) => {
    const n = 32;
    const settings = { presmooth: 2, postsmooth: 2, omega: 1.15 };
    const levels = createHierarchy(allLevelSizes(n), boundary);
    const [finest] = levels;
    let exact: Float64Array;
    if (boundary === "periodic") exact = fillAnalytic(finest, n);
    else {
      const a = 0.1;
      const potential = (x: number, y: number, z: number) =>
        -1 / Math.sqrt((x - 0.55) ** 2 + (y - 0.5) ** 2 + (z - 0.45) ** 2 + a * a);
      exact = onMesh(n, potential);
      const density = onMesh(n, plummer(0.55, 0.5, 0.45, a));
      forEachCell(n, (i) => {
        finest.source[place(n, i % n, Math.floor(i / n) % n, Math.floor(i / n / n))] =
          (4 * Math.PI * density[i]) / n ** 2;
      });
      for (let j = -1; j <= n; j++) {
        for (let i = -1; i <= n; i++) {
          const [u, v] = [(i + 0.5) / n, (j + 0.5) / n];
          const [low, high] = [-0.5 / n, 1 + 0.5 / n];
          const at = (j + 1) * (n + 2) + i + 1;
          const values = [
            potential(low, u, v),
            potential(high, u, v),
            potential(u, low, v),
            potential(u, high, v),
            potential(u, v, low),
            potential(u, v, high),
          ];
          values.forEach((value, face) => {
            finest.boundary![face * (n + 2) ** 2 + at] = value;
          });
        }
      }
    }
    const settle = () => {
      if (boundary === "periodic") removeMean(finest, finest.potential);
      return interior(finest);
    };
    setFixedGhosts(finest);
    for (let c = 0; c < START_CYCLES; c++) cycleLevels(levels, settings);
    const first = settle();
    for (let c = 0; c < 12; c++) cycleLevels(levels, settings);
    const solution = settle();
    const discretisation = largestDifference(solution, exact);
    expect(largestDifference(first, solution)).toBeLessThan(0.5 * discretisation);
    expect(largestDifference(first, exact)).toBeLessThan(1.2 * discretisation);
  });
});

describe("against the Fourier solvers", () => {
  it.each([16, 24, 32, 48])("periodic, %i: the discrete Green's function", (n) => {
    const random = noise(7);
    const density = onMesh(n, () => random() + 1);
    const expected = PoissonFft.periodic(n, 3, 2, "discrete").potential(density);
    const found = new MultigridSolver(n, 3, 2, "periodic", converged()).potential(density);
    expect(largestDifference(found, expected)).toBeLessThan(1e-10 * largest(expected));
  });

  describe.each([32])("isolated, %i", (n) => {
    let lattice: PoissonFft;
    beforeAll(() => {
      lattice = latticeSolver(n, 1, 1);
    });

    const disk = (scaleLength: number, height: number) => (x: number, y: number, z: number) => {
      const radius = Math.hypot(x - 0.5, y - 0.5);
      return radius > 0.45 ? 0 : Math.exp(-radius / scaleLength) / Math.cosh((z - 0.5) / height) ** 2;
    };
    const pair = (dx: number, dy: number, a: number, b: number) => (x: number, y: number, z: number) =>
      plummer(0.5 - dx, 0.5 - dy, 0.5, a)(x, y, z) + plummer(0.5 + dx, 0.5 + dy, 0.5, b)(x, y, z);

    it.each([
      ["an exponential disk", disk(0.075, 0.03)],
      ["a thin disk", disk(0.075, 0.008)],
      ["two Plummer spheres", pair(0.25, 0, 0.05, 0.05)],
      ["two Plummer spheres near the corners", pair(0.33, 0.28, 0.03, 0.06)],
    ])("%s: within 1e-3 of the maximum of the lattice's exact solution", (_, density) => {
      const values = onMesh(n, density);
      const expected = lattice.potential(values);
      const found = new MultigridSolver(n, 1, 1, "isolated", converged()).potential(values);
      expect(largestDifference(found, expected)).toBeLessThan(1e-3 * largest(expected));
    });
  });

  it.each([
    ["an exponential disk", 0.085, 0.05],
    ["two Plummer spheres", 0.1, 0],
  ])("isolated, fourth order: %s within 1e-3 of the truncated kernel's potential", (name, length, height) => {
    const n = 48;
    const density = onMesh(n, (x, y, z) => {
      if (height === 0) return plummer(0.3, 0.5, 0.5, length)(x, y, z) + plummer(0.7, 0.5, 0.5, length)(x, y, z);
      const radius = Math.hypot(x - 0.5, y - 0.5, 0.03);
      return Math.exp(-radius / length) / Math.cosh((z - 0.5) / height) ** 2;
    });
    const expected = isolatedFft(n, 1, 1, "truncated").potential(density);
    const found = new MultigridSolver(n, 1, 1, "isolated", converged({ order: 4 })).potential(density);
    expect(largestDifference(found, expected), name).toBeLessThan(1e-3 * largest(expected));
  });

  it("has the infinite lattice's Green's values, to the correction for the box", () => {
    const greens = latticeGreens(10);
    expect(greens[0]).toBeCloseTo(0.252731009859, 11);
    expect(greens[1]).toBeCloseTo(0.086064343192, 11);
    expect(greens[12]).toBeCloseTo(0.055191433688, 11);
    expect(4 * Math.PI * 10 * greens[10]).toBeCloseTo(1.00257791, 7);
    const n = 32;
    const c = n / 2;
    const at = (x: number, y: number, z: number) => (z * n + y) * n + x;
    const density = new Float64Array(n ** 3);
    density[at(c, c, c)] = n ** 3;
    // −φ/4πG of a unit mass with h = 1/n: G(r)·n.
    const found = new MultigridSolver(n, 1, 1 / (4 * Math.PI), "isolated", converged()).potential(density);
    const value = (x: number, y: number, z: number) => -found[at(c + x, c + y, c + z)] / n;
    expect(value(0, 0, 0)).toBeCloseTo(0.252731, 4);
    expect(value(1, 0, 0)).toBeCloseTo(0.086064, 4);
    expect(value(1, 1, 0)).toBeCloseTo(0.055191, 4);
    expect(4 * Math.PI * 10 * value(10, 0, 0)).toBeCloseTo(1.00258, 2);
  });
});

describe("a solve", () => {
  const density = onMesh(24, plummer(0.45, 0.5, 0.55, 0.1));

  it("starts from the last potential", () => {
    const solver = new MultigridSolver(24, 1, 1, "isolated", converged({ tolerance: 1e-6 }));
    solver.potential(density);
    solver.potential(density.map((v) => v * 1.001));
    expect(solver.residuals[0]).toBeLessThan(0.01);
  });

  it("continues with the same bits from a saved state", () => {
    const settings = { ...multigridPresets.default, maxCycles: 2 };
    const later = density.map((v, i) => v * (1 + 0.01 * Math.sin(i)));
    const solver = new MultigridSolver(24, 1, 1, "periodic", settings);
    const current = solver.potential(density);
    const state = solver.saveState();
    const expected = solver.potential(later);
    const resumed = new MultigridSolver(24, 1, 1, "periodic", settings);
    resumed.restoreState(state);
    // The state belongs to the particles of that moment, whose force is evaluated again after resuming.
    expect(resumed.potential(density)).toEqual(current);
    expect(resumed.potential(later)).toEqual(expected);
  });

  it("that misses its tolerance stops with the residuals and advice", () => {
    const solver = new MultigridSolver(24, 1, 1, "isolated", converged({ maxCycles: 2 }));
    expect(() => solver.potential(density)).toThrow(
      /multigrid: expected a residual of at most 1e-11 .* found .* after 2 cycles \(residuals seen: .*, .*, .*\)\. It still falls: raise multigrid\.maxCycles/,
    );
  });

  it("of nothing is nothing", () => {
    const solver = new MultigridSolver(16, 1, 1, "isolated", converged());
    expect(largest(solver.potential(new Float64Array(16 ** 3)))).toBe(0);
  });
});

describe("settings that can't work", () => {
  const messages = (cells: number, changes: Partial<MultigridSettings>) =>
    multigridProblems(cells, { ...multigridPresets.default, ...changes }).map(({ message }) => message);

  it.each([
    [{ maxCycles: 0 }, 64, /^multigrid\.maxCycles: expected an integer from 1 .* Without a cycle/],
    [{ levels: 1 }, 64, /^multigrid\.levels: expected 0 \(all\), or 2 to 6: .* 64, 32, 16, 8, 4, 2/],
    [{ levels: 5 }, 48, /^multigrid\.levels: expected .* 48, 24, 12, 6 cells \(the next would have 3, an odd number\)/],
    [
      { tolerance: 1e-7 },
      128,
      /^multigrid\.tolerance: expected 0, or at least 0\.000001, the least that the arithmetic reaches/,
    ],
    [{ tolerance: -1 }, 64, /^multigrid\.tolerance: expected 0, or a number below 1/],
    [{ presmooth: 0, postsmooth: 0 }, 64, /^multigrid\.presmooth: expected presmooth \+ postsmooth of at least 1/],
    [{ presmooth: 1.5 }, 64, /^multigrid\.presmooth: expected an integer/],
  ] as const)("%o", (changes, cells, message) => {
    const [found, ...others] = messages(cells, changes);
    expect(found).toMatch(message);
    expect(others).toEqual([]);
    expect(() => new MultigridSolver(cells, 1, 1, "periodic", { ...multigridPresets.default, maxCycles: 0 })).toThrow(
      /multigrid\.maxCycles: expected an integer/,
    );
  });

  it.each([16, 24, 128, 192, 512])("are not among the presets on %i", (cells) => {
    expect(messages(cells, multigridPresets.default)).toEqual([]);
    if (cells >= 128) expect(messages(cells, multigridPresets.aubert2009)).toEqual([]);
    for (const boundary of BOUNDARIES) {
      expect(messages(cells, { tolerance: Math.max(1e-3, float32Reach(cells, boundary)) })).toEqual([]);
    }
  });
});
