/** Transfer functions, linear and nonlinear power and mass functions against values computed elsewhere. */
import { describe, expect, it } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { Background, type BackgroundParameters } from "../../src/physics/cosmology/background.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { Halofit } from "../../src/physics/cosmology/halofit.ts";
import {
  COLLAPSE_OVERDENSITY,
  lagrangianRadius,
  type MassFunctionModel,
  massFunction,
  multiplicity,
} from "../../src/physics/cosmology/mass-function.ts";
import { LinearPower, type PowerOptions, topHat } from "../../src/physics/cosmology/power.ts";
import { integral } from "../../src/physics/cosmology/quadrature.ts";
import { eisensteinHu, eisensteinHuNoWiggle, soundHorizon } from "../../src/physics/cosmology/transfer.ts";

const { G } = unitSystem("cosmological");
const background = new Background({ h: 0.7, omegaM: 0.3, omegaB: 0.05 });
const growth = new Growth(background);
const linear = (change: Partial<PowerOptions> = {}, of: Background = background) =>
  new LinearPower(of, of === background ? growth : new Growth(of), {
    ...{ spectralIndex: 0.96, transfer: "eisenstein-hu", amplitude: { As: 2e-9 } },
    ...change,
  });
const standard = linear();

function near(value: number, expected: number, tolerance: number) {
  expect(Math.abs(value / expected - 1)).toBeLessThan(tolerance);
}

describe("transfer function of Eisenstein & Hu", () => {
  it("has the reference values", () => {
    const T = eisensteinHu(background);
    expect(T(0.05)).toBeCloseTo(0.267698, 6);
    expect(T(0.2)).toBeCloseTo(0.0541043, 7);
    expect(T(10) * 1e5).toBeCloseTo(8.777, 3);
    expect(soundHorizon(background)).toBeCloseTo(148.005, 3);
  });

  it("agrees with another implementation, with and without oscillations", () => {
    const T = eisensteinHu(background);
    near(T(0.01), 0.7798740157624309, 1e-12);
    near(T(0.2), 0.0541042889532585, 1e-12);
    const smooth = eisensteinHuNoWiggle(background);
    near(smooth(0.01), 0.7861277068751104, 1e-12);
    near(smooth(0.2), 0.053640202473977, 1e-12);
    near(smooth(10), 8.670980493171401e-5, 1e-12);
  });

  it("has the power of the Core Cosmology Library", () => {
    // Benchmark model1_pk_eh (Chisari et al. 2019): σ8 = 0.8, h = 0.7, six digits.
    const power = linear({ amplitude: { sigma8: 0.8 } });
    near(power.power(0.001), 3895.01, 2e-3);
    near(power.power(0.0251189), 21710.2, 2e-3);
    near(power.power(0.1), 5448.59, 5e-4);
    near(power.power(1), 63.2412, 5e-4);
    near(power.power(10), 0.211105, 5e-4);
  });

  it("tends to 1 for small k and to ln k/k² for large", () => {
    for (const T of [eisensteinHu(background), eisensteinHuNoWiggle(background)]) {
      expect(T(0)).toBe(1);
      for (const k of [1e-9, 1e-7, 1e-5]) expect(Math.abs(T(k) - 1)).toBeLessThan(2e3 * k);
      const slope = Math.log(T(1e5) / T(1e4)) / Math.log(10);
      expect(slope).toBeLessThan(-1.85);
      expect(slope).toBeGreaterThan(-2);
    }
  });

  it("oscillates about the smooth form, and not without baryons", () => {
    const ratio = (omegaB: number) => {
      const model = new Background({ h: 0.7, omegaM: 0.3, omegaB });
      const [T, smooth] = [eisensteinHu(model), eisensteinHuNoWiggle(model)];
      return Array.from({ length: 200 }, (_, i) => 0.05 + i * 1e-3).map((k) => T(k) / smooth(k));
    };
    const turns = (curve: number[]) =>
      curve.filter((y, i) => i > 0 && i + 1 < curve.length && (y - curve[i - 1]) * (curve[i + 1] - y) < 0).length;
    expect(turns(ratio(0.05))).toBeGreaterThan(5);
    expect(turns(ratio(1e-4))).toBeLessThan(3);
    const dry = new Background({ h: 0.7, omegaM: 0.3 });
    expect(eisensteinHuNoWiggle(dry)(0.1)).toBeGreaterThan(0);
    expect(() => eisensteinHu(dry)).toThrow(/omegaB.*above 0.*"no-wiggle"/);
    expect(() => soundHorizon(dry)).toThrow(/omegaB/);
  });
});

describe("linear power", () => {
  it("has the reference values for As = 2e-9", () => {
    expect(standard.sigma8).toBeCloseTo(0.81211, 5);
    expect(standard.power(0.1)).toBeCloseTo(5613.9, 1);
  });

  it("has the variance of an adaptive integration", () => {
    near(standard.power(0.1), 5613.866286496659, 1e-11);
    near(standard.sigma(8), 0.8121117617476563, 5e-9);
    near(standard.sigma(1), 2.411313695901326, 5e-9);
    near(standard.sigma(30), 0.2719059573772709, 2e-8);
    for (const R of [0.01, 1, 8, 80]) {
      const e = 1e-3;
      const slope = Math.log(standard.sigma(R * Math.exp(e)) / standard.sigma(R * Math.exp(-e))) / (2 * e);
      near(standard.sigmaAndSlope(R).slope, slope, 1e-5);
    }
  });

  it("keeps the normalisation it was given", () => {
    near(linear({ amplitude: { sigma8: 0.8 } }).sigma8, 0.8, 1e-14);
    near(linear({ amplitude: { As: 4e-9 } }).sigma8 / standard.sigma8, Math.SQRT2, 1e-14);
    // At the pivot As alone counts: Δ² of the potential's source, whatever the tilt.
    const k = 0.05 / 0.7;
    near(linear({ spectralIndex: 0.9 }).power(k), standard.power(k), 1e-13);
    expect(standard.power(0)).toBe(0);
  });

  it("grows as D1²", () => {
    for (const a of [0.02, 0.5]) {
      near(standard.power(0.1, a) / standard.power(0.1), (growth.D1(a) / growth.D1(1)) ** 2, 1e-14);
      near(standard.sigma(8, a) / standard.sigma8, growth.D1(a) / growth.D1(1), 1e-14);
      near(standard.power(0.1), 5613.866286496659, 1e-11);
    }
  });

  it("doesn't depend on what happens late when As is given: the early spectrum is the same", () => {
    const models: Partial<BackgroundParameters>[] = [{ w0: -0.8 }, { darkEnergy: 0.65 }, { darkEnergy: 0 }];
    for (const change of models) {
      const other = linear({}, new Background({ h: 0.7, omegaM: 0.3, omegaB: 0.05, ...change }));
      near(other.power(0.1, 1e-6), standard.power(0.1, 1e-6), 1e-5);
    }
  });

  it("has the top-hat window and its series", () => {
    for (const x of [0.0999, 0.1001]) {
      const closed = (3 * (Math.sin(x) - x * Math.cos(x))) / x ** 3;
      near(topHat(x), closed, 1e-11);
    }
    expect(topHat(0)).toBe(1);
    // ∫ W² x² dx over all x is 3π/2.
    near(integral((x) => (topHat(x) * x) ** 2, 0, 4000, 4000) + 4.5 / 4000, 1.5 * Math.PI, 1e-6);
  });

  it.each<[string, Partial<PowerOptions>, RegExp]>([
    ["no index", { spectralIndex: Number.NaN }, /spectral index ns between −3 and 4, found NaN/],
    ["a negative σ8", { amplitude: { sigma8: -1 } }, /sigma8 above 0, found -1/],
    ["As of zero", { amplitude: { As: 0 } }, /As above 0, found 0/],
    ["the amplitude of a table that there isn't", { amplitude: "tabulated" }, /sigma8 or As with a transfer function/],
  ])("refuses %s", (_, change, message) => {
    expect(() => linear(change)).toThrow(message);
  });

  it("refuses a radius that isn't one", () => {
    expect(() => standard.sigma(0)).toThrow(/radius of sigma above 0, found 0/);
  });
});

describe("Halofit", () => {
  it("agrees with another implementation of Takahashi et al.", () => {
    const now = new Halofit(standard);
    near(now.kSigma!, 0.3661959238189039, 1e-9);
    near(now.index, -1.764655569592465, 1e-9);
    near(now.curvature, 0.3332045100046632, 1e-9);
    const expected = [22488.309589217533, 5699.635795031144, 400.36899792874607, 9.487135151011268];
    for (const [i, k] of [0.01, 0.1, 1, 10].entries()) near(now.power(k), expected[i], 1e-9);
    const earlier = new Halofit(standard, 0.5);
    near(earlier.kSigma!, 0.892685681033535, 1e-8);
    for (const [k, power] of [
      [0.1, 2116.5898100327213],
      [1, 80.05326446790365],
      [10, 2.4281509713356964],
    ]) {
      near(earlier.power(k), power, 1e-8);
    }
  });

  it("is linear on large scales and early", () => {
    const now = new Halofit(standard);
    near(now.power(1e-4), standard.power(1e-4), 1e-4);
    near(now.power(1e-3), standard.power(1e-3), 2e-3);
    expect(now.power(0)).toBe(0);
    const faint = linear({ amplitude: { sigma8: 1e-4 } });
    const nowhere = new Halofit(faint);
    expect(nowhere.kSigma).toBeUndefined();
    expect(nowhere.power(3)).toBe(faint.power(3));
  });

  it("knows curvature and w", () => {
    const power = (change: Partial<BackgroundParameters>) =>
      new Halofit(
        linear({ amplitude: { sigma8: 0.8 } }, new Background({ h: 0.7, omegaM: 0.3, omegaB: 0.05, ...change })),
      ).power(2);
    // The linear spectra are the same; f1, f2, f3 and the terms with 1 + w aren't.
    near(power({ darkEnergy: 0.7 - 1e-9 }), power({}), 1e-7);
    expect(power({ darkEnergy: 0 }) / power({})).toBeGreaterThan(1.02);
    expect(power({ w0: -0.8 }) / power({})).toBeGreaterThan(1.005);
  });
});

describe("mass functions", () => {
  it.each<[MassFunctionModel, number[], number[]]>([
    [
      "press-schechter",
      [6.121332111125298e-3, 7.62314141037021e-4, 6.07307340358167e-5, 7.717796417079245e-7],
      [6.00360413059647e-3, 4.38646255481076e-4, 8.3590908220212e-6, 9.54328444003868e-10],
    ],
    [
      "sheth-tormen",
      [4.14661149447984e-3, 5.05412149391132e-4, 4.57282116702299e-5, 1.16577601133144e-6],
      [4.04488025655039e-3, 3.43536483748244e-4, 1.15198093816908e-5, 1.07273450456277e-8],
    ],
    [
      "tinker",
      [4.39957748166197e-3, 5.61280041631299e-4, 5.36928950768805e-5, 1.24108606577634e-6],
      [4.01099629578162e-3, 3.46383000461277e-4, 1.04331700453717e-5, 4.76165049833752e-9],
    ],
  ])("%s: agrees with the Core Cosmology Library's benchmark", (model, today, early) => {
    // Benchmark hmf_* (made with Colossus): dn/d log10 M [1/Mpc³] at 1e12 … 1e15 M☉, redshift 0 and 1, σ8 = 0.8.
    const power = linear({ amplitude: { sigma8: 0.8 } });
    const masses = [1e12, 1e13, 1e14, 1e15].map((mass) => (mass * 0.7) / 1e10);
    for (const [a, expected] of [
      [1, today],
      [0.5, early],
    ] as const) {
      const found = massFunction(model, power, G, masses, a);
      // The rarest haloes magnify rounding of ρ̄ and σ8 in the other codes.
      for (const [i, n] of expected.entries()) near(found[i] * Math.LN10 * 0.7 ** 3, n, i < 3 ? 2e-3 : 3e-3);
    }
  });

  it("put all matter into haloes where they should", () => {
    // ∫ f dσ/σ = 1 for Press–Schechter and Sheth–Tormen.
    for (const [model, tolerance] of [
      ["press-schechter", 1e-9],
      ["sheth-tormen", 2e-3],
    ] as const) {
      const mass = integral((x) => multiplicity(model, Math.exp(x), 1), Math.log(0.05), 60, 200);
      near(mass, 1, tolerance);
    }
    expect(COLLAPSE_OVERDENSITY).toBeCloseTo(1.68647, 5);
    expect(multiplicity("tinker", 1, 1)).toBeCloseTo(0.186 * (2.57 ** 1.47 + 1) * Math.exp(-1.19), 12);
  });

  it("refuse masses that aren't", () => {
    near(lagrangianRadius(((4 * Math.PI) / 3) * 8 * 5, 5), 2, 1e-14);
    for (const mass of [0, -1, Number.NaN]) {
      expect(() => massFunction("tinker", standard, G, [100, mass])).toThrow(/masses above 0/);
    }
  });
});
