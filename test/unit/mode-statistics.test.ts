/** Statistics of modes against sums over particles, modes, triangles and pairs without any mesh or transform. */
import { describe, expect, it } from "vitest";
import { type DensityModes, ModeDeposit } from "../../src/engine/reference/diagnostics/density-modes.ts";
import {
  bispectrum,
  correlationFunction,
  crossSpectrum,
  kaiserMultipoles,
  multipolesOf,
  shellsOf,
} from "../../src/engine/reference/diagnostics/mode-statistics.ts";
import { clusteredPositions } from "../support/clustered.ts";
import { randomWords } from "../support/exact-particles.ts";

const BOX = 100;
const VOLUME = BOX ** 3;

function modesFor(positions: Float64Array, weights: Float64Array, cells: number): DensityModes {
  const deposit = new ModeDeposit({ boxSize: BOX, cells, assignment: "tsc", interlaced: true });
  // In two blocks, as a run has them.
  const middle = weights.length >> 1;
  deposit.add(positions, weights, 0, middle);
  deposit.add(positions, weights, middle);
  return deposit.modes();
}

const word = randomWords(5);
const uniform = () => word() / 2 ** 32;
const clumps = { clumps: 12, members: 12, spread: 0.05 };
const positions = Float64Array.from(clusteredPositions(7, clumps), (u) => (BOX * u) / 2 ** 32);
const count = positions.length / 3;
const [weights, others] = [0, 1].map(() => Float64Array.from({ length: count }, () => 0.5 + uniform()));

interface Mode {
  m: readonly [number, number, number];
  length: number;
  re: number;
  im: number;
}

/** Σ w e^{−ik·x}/Σw of all modes with |k| < most. */
function exactModes(w: Float64Array, most: number): Mode[] {
  const total = w.reduce((a, b) => a + b);
  const found: Mode[] = [];
  const last = Math.ceil(most);
  for (let z = -last; z <= last; z++) {
    for (let y = -last; y <= last; y++) {
      for (let x = -last; x <= last; x++) {
        const length = Math.hypot(x, y, z);
        if (length === 0 || length >= most) continue;
        let [re, im] = [0, 0];
        for (let i = 0; i < w.length; i++) {
          const phase =
            ((2 * Math.PI) / BOX) * (x * positions[3 * i] + y * positions[3 * i + 1] + z * positions[3 * i + 2]);
          re += (w[i] / total) * Math.cos(phase);
          im -= (w[i] / total) * Math.sin(phase);
        }
        found.push({ m: [x, y, z], length, re, im });
      }
    }
  }
  return found;
}

const inShell = (modes: readonly Mode[], shell: number) => modes.filter(({ length }) => Math.round(length) === shell);
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe("statistics of modes", () => {
  const cells = 48;
  const bins = shellsOf(cells);
  const [one, two] = [weights, others].map((w) => modesFor(positions, w, cells));
  const [exact, second] = [weights, others].map((w) => exactModes(w, 3.5));

  it("cross-spectra are sums over particles", () => {
    const found = crossSpectrum(one, two, bins);
    for (const shell of [1, 2, 3]) {
      const [a, b] = [exact, second].map((modes) => inShell(modes, shell));
      const both = VOLUME * mean(a.map(({ re, im }, i) => re * b[i].re + im * b[i].im));
      const own = VOLUME * mean(b.map(({ re, im }) => re * re + im * im));
      expect(Math.abs(found.both[shell - 1] / both - 1)).toBeLessThan(2e-5);
      expect(Math.abs(found.second[shell - 1] / own - 1)).toBeLessThan(2e-5);
    }
  });

  it("multipoles are sums over particles, about any axis", () => {
    for (const axis of [0, 1, 2] as const) {
      const [, P2, P4] = multipolesOf(one, bins, axis);
      const modes = inShell(exact, 3);
      const weighted = (f: (mu: number) => number) =>
        VOLUME * mean(modes.map(({ re, im, m, length }) => (re * re + im * im) * f(m[axis] / length)));
      const quadrupole = weighted((mu) => 5 * (1.5 * mu ** 2 - 0.5));
      const hexadecapole = weighted((mu) => (9 / 8) * (35 * mu ** 4 - 30 * mu ** 2 + 3));
      expect(Math.abs(P2[2] / quadrupole - 1)).toBeLessThan(1e-4);
      expect(Math.abs(P4[2] / hexadecapole - 1)).toBeLessThan(1e-4);
    }
  });

  it("Kaiser's multipoles have his ratios over the directions of all shells", () => {
    const f = 0.8;
    const inAll = kaiserMultipoles(cells, bins, 2, f, () => 7).map(
      (values) =>
        values.reduce((sum, value, bin) => sum + bins.modes[bin] * value, 0) / bins.modes.reduce((a, b) => a + b),
    );
    // Kaiser 1987; Hamilton 1998, eq. 5.6.
    const expected = [1 + (2 / 3) * f + f ** 2 / 5, (4 / 3) * f + (4 / 7) * f ** 2, (8 / 35) * f ** 2];
    // The lattice of modes isn't isotropic: a cubic harmonic of it adds to P₄.
    for (const [l, value] of expected.entries()) {
      expect(Math.abs(inAll[l] / (7 * value) - 1)).toBeLessThan([1e-3, 1e-2, 0.05][l]);
    }
  });

  it("bispectra are sums over triangles", () => {
    const found = bispectrum(one, 3, 1);
    const shells = [1, 2, 3].map((shell) => inShell(exact, shell));
    const at = new Map(exact.map((mode) => [mode.m.join(), mode]));
    for (const [i, j, l] of [
      [0, 0, 0],
      [1, 1, 0],
      [2, 1, 0],
      [2, 2, 2],
    ]) {
      let [sum, triangles] = [0, 0];
      for (const a of shells[i]) {
        for (const b of shells[j]) {
          const c = at.get(a.m.map((x, axis) => -x - b.m[axis] || 0).join());
          if (!c || !shells[l].includes(c)) continue;
          triangles++;
          sum += (a.re * b.re - a.im * b.im) * c.re - (a.re * b.im + a.im * b.re) * c.im;
        }
      }
      const edges = [i, j, l].map((bin) => mean(shells[bin].map(({ length }) => length)));
      const row = found.find(({ k }) =>
        k.every((value, side) => Math.abs((value * BOX) / (2 * Math.PI) - edges[side]) < 1e-9),
      );
      expect(row?.triangles ?? 0).toBe(triangles);
      if (row) expect(Math.abs((row.bispectrum * triangles) / (VOLUME ** 2 * sum) - 1)).toBeLessThan(2e-4);
    }
  });

  it("what discreteness adds to three is what lone particles have", () => {
    // Poisson-distributed particles of unequal weights have nothing else, within the scatter of many triangles.
    const scattered = Float64Array.from({ length: 3 * 3000 }, () => BOX * uniform());
    const w = Float64Array.from({ length: 3000 }, () => uniform());
    const rows = bispectrum(modesFor(scattered, w, 64), 5, 4);
    const wide = rows.filter(({ triangles }) => triangles > 1e6);
    expect(wide.length).toBeGreaterThan(3);
    const total = (of: "bispectrum" | "shotNoise") => mean(wide.map((row) => row[of]));
    expect(Math.abs(total("bispectrum") / total("shotNoise") - 1)).toBeLessThan(0.1);
  });

  it("correlations are counts of pairs", () => {
    const many = { clumps: 40, members: 50, spread: 0.06 };
    const places = Float64Array.from(clusteredPositions(9, many), (u) => (BOX * u) / 2 ** 32);
    const n = places.length / 3;
    const edges = [4, 6, 9, 14, 20];
    const pairs = edges.slice(1).map(() => 0);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const d = [0, 1, 2].map((axis) => places[3 * i + axis] - places[3 * j + axis]);
        const r = Math.hypot(...d.map((x) => x - BOX * Math.round(x / BOX)));
        const bin = edges.findIndex((edge) => r < edge) - 1;
        if (bin >= 0) pairs[bin]++;
      }
    }
    const found = correlationFunction(modesFor(places, new Float64Array(n).fill(1), 64), edges);
    for (const [bin, number] of pairs.entries()) {
      const random = ((n * n) / 2) * ((4 * Math.PI) / 3) * ((edges[bin + 1] ** 3 - edges[bin] ** 3) / VOLUME);
      expect(Math.abs((1 + found[bin]) / (number / random) - 1)).toBeLessThan(0.01);
    }
  });

  it("interlaced spectra of known modes are right to 0.5 % up to 0.9 of the Nyquist wavenumber", () => {
    const [n, fine, shells] = [24, 72, 10];
    const waves = Array.from({ length: 60 }, (_, i) => {
      const wanted = 1 + (i % shells);
      const direction = [uniform() - 0.5, uniform() - 0.5, uniform() - 0.5];
      const m = direction.map((x) => Math.round((wanted * x) / Math.hypot(...direction)));
      return { m, phase: 2 * Math.PI * uniform(), shell: Math.round(Math.hypot(...m)) - 1 };
    });
    const places = new Float64Array(3 * fine ** 3);
    const masses = new Float64Array(fine ** 3).fill(1);
    const axis = waves.map(({ m, phase }) =>
      m.map((x, a) =>
        Array.from({ length: fine }, (_, j) => (2 * Math.PI * x * (j + 0.5)) / fine + (a === 0 ? phase : 0)),
      ),
    );
    for (let z = 0, i = 0; z < fine; z++) {
      for (let y = 0; y < fine; y++) {
        for (let x = 0; x < fine; x++, i++) {
          places.set(
            [x, y, z].map((j) => ((j + 0.5) * BOX) / fine),
            3 * i,
          );
          for (const [px, py, pz] of axis) masses[i] += 0.01 * Math.cos(px[x] + py[y] + pz[z]);
        }
      }
    }
    const modes = modesFor(places, masses, n);
    const { modes: numbers } = shellsOf(n);
    const { first: power } = crossSpectrum(modes, modes, shellsOf(n));
    const squares = new Map<string, { shell: number; re: number; im: number }>();
    for (const { m, phase, shell } of waves) {
      const sign = Math.sign(m.find((x) => x !== 0)!);
      const key = m.map((x) => sign * x).join();
      const sum = squares.get(key) ?? { shell, re: 0, im: 0 };
      squares.set(key, { shell, re: sum.re + Math.cos(sign * phase), im: sum.im + Math.sin(sign * phase) });
    }
    const expected = new Float64Array(shells + 1);
    for (const { shell, re, im } of squares.values()) expected[shell] += 2 * VOLUME * 0.005 ** 2 * (re * re + im * im);
    for (let shell = 0; shell < shells; shell++) {
      if (expected[shell] === 0) continue;
      expect(Math.abs((power[shell] * numbers[shell]) / expected[shell] - 1)).toBeLessThan(0.005);
    }
  });
});
