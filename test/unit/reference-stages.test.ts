/** The float64 stages one by one, against definitions written out here. */
import { describe, expect, it } from "vitest";
import { isTransformLength, LineFft } from "../../src/engine/mesh/fft/line-fft.ts";
import {
  CELL_MEAN_OF_INVERSE_RADIUS,
  fftFrequencies,
  gradientFrequencies,
  isolatedKernelSteps,
  periodicGreens,
  runYielding,
} from "../../src/engine/mesh/poisson/greens.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { cellKeys, type HostGrid, hostGridOf, orderByCell } from "../../src/engine/reference/mesh/cells.ts";
import { depositMass } from "../../src/engine/reference/mesh/deposit.ts";
import { RealFft3 } from "../../src/engine/reference/mesh/fft3.ts";
import { differenceGradient, spectralGradient } from "../../src/engine/reference/mesh/gradient.ts";
import { interpolateForce } from "../../src/engine/reference/mesh/interpolate.ts";
import { drift, wrapIntoBox } from "../../src/engine/reference/mesh/leapfrog.ts";
import { PoissonFft } from "../../src/engine/reference/mesh/poisson-fft.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { lagrangianRadii } from "../../src/physics/particles/sums.ts";
import { addExternalField } from "../../src/physics/potentials/external.ts";
import { isolatedFft, kernelSpectrum } from "../support/isolated-fft.ts";
import { laplacian7 } from "../support/lattice-greens.ts";
import { randomParticles } from "../support/particles.ts";
import { meshSettings } from "../support/point-mass.ts";
import { sequence } from "../support/scenario-fixture.ts";

const SCHEMES: Assignment[] = ["ngp", "cic", "tsc"];

const values = (count: number, seed = 1) => Float64Array.from({ length: count }, sequence(seed)).map((v) => v - 0.5);

const largestDifference = (a: Float64Array, b: Float64Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

const total = (a: Float64Array) => a.reduce((sum, value) => sum + value, 0);

function grid(cells: number, assignment: Assignment, boundary: Boundary = "periodic"): HostGrid {
  return hostGridOf(meshSettings({ cells, assignment, gradient: "2-point" }), boundary, 1);
}

describe("line transform", () => {
  it.each([2, 4, 6, 10, 12, 16, 36, 48, 54, 60, 96])("of %i equals the definition", (n) => {
    const input = values(2 * n);
    const out = new Float64Array(2 * n);
    new LineFft(n).forward(out, input);
    const expected = new Float64Array(2 * n);
    for (let k = 0; k < n; k++) {
      for (let j = 0; j < n; j++) {
        const angle = (-2 * Math.PI * ((j * k) % n)) / n;
        expected[2 * k] += input[2 * j] * Math.cos(angle) - input[2 * j + 1] * Math.sin(angle);
        expected[2 * k + 1] += input[2 * j] * Math.sin(angle) + input[2 * j + 1] * Math.cos(angle);
      }
    }
    expect(largestDifference(out, expected)).toBeLessThan(1e-13);
  });

  it("takes even lengths of factors 2, 3 and 5 only", () => {
    expect([2, 16, 24, 20, 36, 90, 96].every(isTransformLength)).toBe(true);
    expect([0, 3, 9, 14, 22, 16.5].some(isTransformLength)).toBe(false);
    expect(() => new LineFft(14)).toThrow("an even length of factors 2, 3, 5, found 14");
  });
});

describe("real 3-D transform", () => {
  it.each([
    [8, 8],
    [12, 12],
    [16, 8],
    [24, 12],
  ])("of %i with %i filled equals the definition and inverts", (n, filled) => {
    const input = values(filled ** 3);
    const fft = new RealFft3(n, filled);
    const spectrum = fft.forward(input);
    let most = 0;
    const modes = [
      [0, 0, 0],
      [1, 2, 3],
      [n / 2, 1, n - 1],
      [n / 2 - 1, n / 2, n / 2],
      [2, 0, n - 2],
    ];
    for (const [kx, ky, kz] of modes) {
      let re = 0;
      let im = 0;
      input.forEach((value, i) => {
        const [x, y, z] = [i % filled, Math.floor(i / filled) % filled, Math.floor(i / filled ** 2)];
        const angle = (-2 * Math.PI * (kx * x + ky * y + kz * z)) / n;
        re += value * Math.cos(angle);
        im += value * Math.sin(angle);
      });
      const at = 2 * ((kz * n + ky) * (n / 2 + 1) + kx);
      most = Math.max(most, Math.abs(spectrum[at] - re), Math.abs(spectrum[at + 1] - im));
    }
    expect(most).toBeLessThan(2e-12);
    expect(largestDifference(fft.inverse(spectrum), input)).toBeLessThan(1e-15);
    for (let repeat = 0; repeat < 2; repeat++) {
      const back = fft.convolve(input, () => {}).map((value) => value / n ** 3);
      expect(largestDifference(back, input)).toBeLessThan(1e-15);
    }
  });
});

describe("Green's functions", () => {
  it("have the frequencies in transform order", () => {
    expect(Array.from(fftFrequencies(4, 2 * Math.PI))).toEqual([0, 1, -2, -1]);
    expect(Array.from(gradientFrequencies(4, 2 * Math.PI))).toEqual([0, 1, 0, -1]);
    expect(periodicGreens(4, 2 * Math.PI, "exact")[3]).toBeCloseTo(1, 14);
    expect(periodicGreens(4, 4, "discrete")[2]).toBeCloseTo(4, 14);
  });

  it("hold −h²/r at the offsets and the cell's mean at the origin: cell-integrated", () => {
    const n = 16;
    const h = 0.5;
    const spectrum = kernelSpectrum(n, h, "cell-integrated");
    const pitch = n + 1;
    const mode = (i: number) => Math.min(i, 2 * n - i);
    const at = (j: number[]) => {
      let sum = 0;
      for (let z = 0; z < 2 * n; z++) {
        for (let y = 0; y < 2 * n; y++) {
          for (let x = 0; x < 2 * n; x++) {
            const phase = (Math.PI * (x * j[0] + y * j[1] + z * j[2])) / n;
            sum += spectrum[(mode(z) * pitch + mode(y)) * pitch + mode(x)] * Math.cos(phase);
          }
        }
      }
      return sum;
    };
    for (const j of [
      [9, 0, 0],
      [0, 8, 5],
      [10, 11, 12],
    ]) {
      expect((at(j) * Math.hypot(...j)) / -(h * h)).toBeCloseTo(1, 12);
    }
    expect(at([0, 0, 0]) / -(h * h)).toBeCloseTo(CELL_MEAN_OF_INVERSE_RADIUS, 12);
    expect(CELL_MEAN_OF_INVERSE_RADIUS).toBeCloseTo(2.38008, 5);
  });

  it("come out the same when built in turns", async () => {
    const slowly = await runYielding(isolatedKernelSteps(48, 1 / 48, "truncated"));
    expect(largestDifference(slowly, kernelSpectrum(48, 1 / 48, "truncated"))).toBe(0);
  });
});

describe("order by cell", () => {
  it("is sorted, stable, and puts the outside last", () => {
    const n = 16;
    const particles = randomParticles(3001, 1);
    const keys = cellKeys(grid(n, "cic", "isolated"), particles.positions);
    const { order, cellStart } = orderByCell(keys, n ** 3);
    for (let p = 1; p < order.length; p++) {
      const [before, now] = [order[p - 1], order[p]];
      expect(keys[before] < keys[now] || (keys[before] === keys[now] && before < now)).toBe(true);
    }
    expect(cellStart[n ** 3]).toBe(keys.filter((key) => key < n ** 3).length);
    expect(keys.includes(n ** 3)).toBe(true);
  });

  it("counts as inside what keeps the stencil on the mesh", () => {
    const isolated = grid(16, "tsc", "isolated"); // reach 2: cells 2 … 13
    const keys = cellKeys(
      isolated,
      Float64Array.from([2.0, 8, 8, 1.99, 8, 8, 13.99, 8, 8, 14, 8, 8]).map((s) => s / 16),
    );
    expect(Array.from(keys, (key) => key < 16 ** 3)).toEqual([true, false, true, false]);
  });

  it("wraps the base cell of CIC below the first cell centre", () => {
    expect(cellKeys(grid(16, "cic"), Float64Array.of(0.25 / 16, 0.5 / 16, 0.5 / 16))[0]).toBe(15);
  });
});

describe.each(SCHEMES)("assignment %s", (scheme) => {
  const n = 16;
  const order = Uint32Array.from({ length: 1001 }, (_, i) => i);

  it("deposits the whole mass, its centre, and nothing negative", () => {
    const { positions, masses } = randomParticles(1001, 1);
    const density = depositMass(grid(n, scheme), positions, masses, order);
    expect(Math.abs(total(density) / n ** 3 / total(masses) - 1)).toBeLessThan(1e-14);
    expect(Math.min(...density)).toBeGreaterThanOrEqual(0);
    const one = depositMass(grid(n, scheme), Float64Array.of(0.41, 0.47, 0.52), Float64Array.of(1), Uint32Array.of(0));
    const centre = one.reduce((sum, rho, i) => sum + (rho * ((i % n) + 0.5)) / n ** 4, 0);
    if (scheme === "ngp") expect(centre).toBe(6.5 / n);
    else expect(centre).toBeCloseTo(0.41, 14);
  });

  it("interpolates a linear field exactly (NGP: the cell's value)", () => {
    const force = new Float64Array(4 * n ** 3);
    for (let i = 0; i < n ** 3; i++) force[4 * i + 1] = ((Math.floor(i / n) % n) + 0.5) / n;
    const positions = Float64Array.from({ length: 300 }, sequence(3)).map((x) => 0.2 + 0.6 * x);
    const out = { accelerations: new Float64Array(300), potential: new Float64Array(100) };
    interpolateForce(grid(n, scheme), force, positions, order.subarray(0, 100), out);
    for (let i = 0; i < 100; i++) {
      const y = positions[3 * i + 1];
      expect(out.accelerations[3 * i + 1]).toBeCloseTo(scheme === "ngp" ? (Math.floor(y * n) + 0.5) / n : y, 13);
    }
  });
});

describe("Poisson and gradient", () => {
  it.each([16, 24, 48])("the discrete Green's function inverts the 7-point Laplacian at %i", (n) => {
    const density = values(n ** 3);
    const mean = total(density) / n ** 3;
    const potential = PoissonFft.periodic(n, 2, 3, "discrete").potential(density);
    const source = density.map((rho) => 4 * Math.PI * 3 * (rho - mean));
    expect(largestDifference(laplacian7(potential, n, 2 / n), source)).toBeLessThan(1e-11);
  });

  it("a plane wave has the exact potential, and differences converge at their order", () => {
    const errors = (scheme: "2-point" | "4-point" | "spectral") =>
      [16, 32].map((n) => {
        const wave = (shift: number) =>
          Float64Array.from({ length: n ** 3 }, (_, i) => Math.cos((2 * Math.PI * ((i % n) + 0.5)) / n + shift));
        const solver = PoissonFft.periodic(n, 1, 1, "exact");
        const density = wave(0);
        const potential = solver.potential(density);
        const amplitude = -1 / Math.PI;
        expect(
          largestDifference(
            potential,
            wave(0).map((c) => amplitude * c),
          ),
        ).toBeLessThan(1e-15);
        const force =
          scheme === "spectral"
            ? spectralGradient(solver, density, potential)
            : differenceGradient(potential, { n, h: 1 / n, scheme, wraps: true });
        const expected = wave(-Math.PI / 2).map((s) => amplitude * 2 * Math.PI * s);
        return largestDifference(
          force.filter((_, i) => i % 4 === 0),
          expected,
        );
      });
    const [coarse2, fine2] = errors("2-point");
    const [coarse4, fine4] = errors("4-point");
    expect(Math.log2(coarse2 / fine2)).toBeGreaterThan(1.9);
    expect(Math.log2(coarse4 / fine4)).toBeGreaterThan(3.8);
    expect(Math.max(...errors("spectral"))).toBeLessThan(1e-14);
  });

  it("isolated: the spectral gradient agrees with fine differences of a smooth potential", () => {
    const n = 32;
    const density = Float64Array.from({ length: n ** 3 }, (_, i) => {
      const [x, y, z] = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)].map((c) => c - 15.3);
      return Math.exp(-(x * x + y * y + z * z) / 18);
    });
    const solver = isolatedFft(n, n, 1, "truncated");
    const potential = solver.potential(density);
    const spectral = spectralGradient(solver, density, potential);
    const differences = differenceGradient(potential, { n, h: 1, scheme: "4-point", wraps: false });
    const scale = differences.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    let most = 0;
    for (let i = 0; i < n ** 3; i++) {
      const inner = [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)].every((c) => c >= 8 && c < n - 8);
      if (!inner) continue;
      for (let axis = 0; axis < 3; axis++) {
        most = Math.max(most, Math.abs(spectral[4 * i + axis] - differences[4 * i + axis]));
      }
    }
    expect(most / scale).toBeLessThan(2e-2);
  });
});

describe("fields, drift, sums", () => {
  it.each(["plummer", "hernquist"] as const)("the %s field is minus the gradient of its potential", (kind) => {
    const field = { kind, centre: [1, 2, 3] as [number, number, number], parameters: { mass: 2, scale: 0.7 } };
    const evaluate = (x: number) => {
      const out = { accelerations: new Float64Array(3), potential: new Float64Array(1) };
      addExternalField(field, 1.5, Float64Array.of(x, 2.5, 2.2), out);
      return out;
    };
    const e = 1e-4;
    const slope = (evaluate(1.4 + e).potential[0] - evaluate(1.4 - e).potential[0]) / (2 * e);
    expect(evaluate(1.4).accelerations[0]).toBeCloseTo(-slope, 6);
    const far = evaluate(1e6);
    expect(far.potential[0]).toBeCloseTo(-3 / 1e6, 10);
    const centre = { accelerations: new Float64Array(3), potential: new Float64Array(1) };
    addExternalField(field, 1.5, Float64Array.of(1, 2, 3), centre);
    expect(Array.from(centre.accelerations).map(Math.abs)).toEqual([0, 0, 0]);
  });

  it("drift wraps a periodic box into [0, L) and leaves an isolated one", () => {
    expect(wrapIntoBox(-1e-20, 1)).toBe(0);
    expect(wrapIntoBox(1, 1)).toBe(0);
    expect(wrapIntoBox(2.25, 1)).toBe(0.25);
    const isolated = Float64Array.of(0.9, 0.1, 0.5);
    drift(isolated, Float64Array.of(1, -1, 0), 0.5, "isolated", 1);
    expect(Array.from(isolated)).toEqual([1.4, -0.4, 0.5]);
  });

  it("Lagrangian radii are those of the sorted particles", () => {
    const { positions, masses } = randomParticles(2000, 1);
    const centre: [number, number, number] = [0.5, 0.45, 0.55];
    const radius = (i: number) => Math.hypot(...[0, 1, 2].map((axis) => positions[3 * i + axis] - centre[axis]));
    const sorted = Array.from(masses.keys()).sort((i, j) => radius(i) - radius(j));
    const expected = [0.01, 0.5, 0.9].map((fraction) => {
      let inside = 0;
      const last = sorted.find((i) => {
        inside += masses[i];
        return inside >= fraction * total(masses);
      });
      return radius(last ?? -1);
    });
    lagrangianRadii(positions, masses, centre, [0.01, 0.5, 0.9]).forEach((r, f) => {
      expect(r).toBeCloseTo(expected[f], 12);
    });
  });
});
