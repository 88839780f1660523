/** The float64 power spectrum against sums over particles, and the geometry of bins against plain loops. */
import { describe, expect, it } from "vitest";
import { type BinSpacing, modeBins, NO_BIN } from "../../src/engine/diagnostics/power-spectrum-bins.ts";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import { powerSpectrum } from "../../src/engine/reference/diagnostics/power-spectrum.ts";
import { clusteredPositions } from "../support/clustered.ts";
import { randomWords } from "../support/exact-particles.ts";

const ASSIGNMENTS: Assignment[] = ["ngp", "cic", "tsc"];
const LINEAR: BinSpacing = { kind: "linear" };

/** |Σ m e^{−ik·x}|² / (Σm)² averaged over the shell |k| = 1 ± ½: no mesh at all. */
function exactFirstShell(positions: Float64Array, masses: Float64Array, boxSize: number): number {
  const total = masses.reduce((a, b) => a + b);
  let sum = 0;
  let modes = 0;
  for (let z = -1; z <= 1; z++) {
    for (let y = -1; y <= 1; y++) {
      for (let x = -1; x <= 1; x++) {
        const square = x * x + y * y + z * z;
        if (square === 0 || square > 2) continue;
        let re = 0;
        let im = 0;
        masses.forEach((mass, i) => {
          const phase =
            ((2 * Math.PI) / boxSize) * (x * positions[3 * i] + y * positions[3 * i + 1] + z * positions[3 * i + 2]);
          re += mass * Math.cos(phase);
          im += mass * Math.sin(phase);
        });
        sum += (re * re + im * im) / total ** 2;
        modes++;
      }
    }
  }
  return (boxSize ** 3 * sum) / modes;
}

describe("power spectrum in float64", () => {
  const boxSize = 100;
  const positions = Float64Array.from(
    clusteredPositions(3, { clumps: 6, members: 10, spread: 0.03 }),
    (u) => (boxSize * u) / 2 ** 32,
  );
  const word = randomWords(8);
  const masses = Float64Array.from({ length: 60 }, () => 0.5 + word() / 2 ** 32);

  it("is the sum over particles at small k", () => {
    const expected = exactFirstShell(positions, masses, boxSize);
    const { power } = powerSpectrum({ positions, masses, boxSize, cells: 32, assignment: "tsc", interlaced: true });
    expect(Math.abs(power[0] / expected - 1)).toBeLessThan(1e-5);
  });

  it.each(ASSIGNMENTS)("of a lone particle converges to V with the order of the assignment, %s", (assignment) => {
    const lone = { masses: new Float64Array([3]), boxSize: 1, assignment };
    // rms over places of the particle in its cell
    const error = (cells: number, interlaced: boolean) => {
      const places = 24;
      let square = 0;
      for (let place = 0; place < places; place++) {
        const positions = Float64Array.from([0.37, 0.61, 0.83], (fraction) => ((fraction * place) % 1) / cells);
        square += (powerSpectrum({ ...lone, positions, cells, interlaced }).power[0] - 1) ** 2 / places;
      }
      return Math.sqrt(square);
    };
    // An alias from j meshes away has (k/jn)^p of its image's amplitude; interlacing leaves j = 2 as the nearest.
    const p = { ngp: 1, cic: 2, tsc: 3 }[assignment];
    const errors = [false, true].map((interlaced) => [16, 32].map((cells) => error(cells, interlaced)));
    for (const [coarse, fine] of errors) expect(Math.log2(coarse / fine)).toBeGreaterThan(p - 0.1);
    expect(errors[0][1] / errors[1][1]).toBeGreaterThan(0.8 * 2 ** p);
  });

  it("of a lone particle on an NGP mesh is V/W² in every mode", () => {
    const { power, k, modes } = powerSpectrum({
      positions: new Float64Array([2.5, 2.5, 2.5]),
      masses: new Float64Array([3]),
      boxSize: 16,
      cells: 16,
      assignment: "ngp",
      interlaced: false,
    });
    expect(modes[0]).toBe(18);
    expect(k[0]).toBeCloseTo(((2 * Math.PI) / 16) * ((6 + 12 * Math.SQRT2) / 18), 14);
    // It fills one cell wherever it is: |δ_k|² = 1, aliases included.
    const { noise } = modeBins({ cells: 16, assignment: "ngp", interlaced: false, bins: LINEAR });
    power.forEach((p, shell) => {
      expect(p / (16 ** 3 * noise[shell])).toBeCloseTo(1, 12);
    });
  });
});

describe("bins of wavenumber", () => {
  it.each([16, 24, 48])("count the modes of %i cells in shells", (cells) => {
    const { modes, k, low, high, binOf } = modeBins({ cells, assignment: "cic", interlaced: false, bins: LINEAR });
    const half = cells / 2;
    const count = new Float64Array(half - 1);
    const sum = new Float64Array(half - 1);
    for (let z = -half; z <= half; z++) {
      for (let y = -half; y <= half; y++) {
        for (let x = -half; x <= half; x++) {
          const length = Math.sqrt(x * x + y * y + z * z);
          const shell = Math.floor(length + 0.5) - 1;
          if (shell < 0 || shell >= half - 1) continue;
          count[shell]++;
          sum[shell] += length;
        }
      }
    }
    expect(modes).toEqual(count);
    k.forEach((mean, shell) => {
      expect(mean).toBeCloseTo(sum[shell] / count[shell], 11);
    });
    expect([low[0], high[0], high[half - 2]]).toEqual([0.5, 1.5, half - 0.5]);
    expect([binOf[0], binOf[1], binOf[2], binOf[3]]).toEqual([NO_BIN, 0, 0, 1]);
    expect(binOf[half * half - 1]).toBe(NO_BIN); // above n/2 − ½
  });

  it("make logarithmic ones that hold every mode below the Nyquist wavenumber, and no empty one", () => {
    const bins = modeBins({
      cells: 32,
      assignment: "cic",
      interlaced: true,
      bins: { kind: "logarithmic", perDecade: 20 },
    });
    let all = 0;
    for (let z = -16; z <= 16; z++) {
      for (let y = -16; y <= 16; y++) {
        for (let x = -16; x <= 16; x++) {
          const square = x * x + y * y + z * z;
          if (square > 0 && square < 256) all++;
        }
      }
    }
    expect(bins.modes.reduce((a, b) => a + b)).toBe(all);
    expect(Math.min(...bins.modes)).toBeGreaterThan(0);
    expect(bins.low[0]).toBe(1);
    expect(bins.high.at(-1)).toBe(16);
    bins.k.forEach((k, bin) => {
      expect(k >= bins.low[bin] && k < bins.high[bin]).toBe(true);
      if (bin > 0) expect(bins.low[bin]).toBeGreaterThanOrEqual(bins.high[bin - 1]);
    });
    expect(() => modeBins({ ...settings, bins: { kind: "logarithmic", perDecade: 0 } })).toThrow(/bins a decade/);
  });

  const settings = { cells: 16, assignment: "tsc", interlaced: false, bins: LINEAR } as const;

  it.each(ASSIGNMENTS.flatMap((assignment) => [false, true].map((interlaced) => ({ assignment, interlaced }))))(
    "sum the aliases of white noise: $assignment, interlaced $interlaced",
    ({ assignment, interlaced }) => {
      const cells = 16;
      const { noise } = modeBins({ cells, assignment, interlaced, bins: LINEAR });
      const lone = { positions: new Float64Array(3), masses: new Float64Array([1]), boxSize: 1 };
      // Images one by one; NGP's converge slowly.
      const { shotNoise } = powerSpectrum({ ...lone, cells, assignment, interlaced });
      noise.forEach((factor, shell) => {
        expect(Math.abs(factor / shotNoise[shell] - 1)).toBeLessThan(assignment === "ngp" ? 1e-3 : 1e-8);
      });
    },
  );
});
