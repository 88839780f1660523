/** Growth functions against closed forms, other codes and values integrated elsewhere. */
import { describe, expect, it } from "vitest";
import { Background, type BackgroundParameters } from "../../src/physics/cosmology/background.ts";
import { extrapolatedStep, Growth } from "../../src/physics/cosmology/growth.ts";

const growthOf = (change: Partial<BackgroundParameters> = {}) =>
  new Growth(new Background({ h: 0.7, omegaM: 0.3, ...change }));
const flat = growthOf();

function near(value: number, expected: number, tolerance = 1e-12) {
  expect(Math.abs(value / expected - 1)).toBeLessThan(tolerance);
}

describe("growth", () => {
  it("has the reference values of flat ΛCDM with Ωm = 0.3", () => {
    expect(flat.D1(1)).toBeCloseTo(0.77898102, 8);
    expect(flat.D1(0.1) / flat.D1(1)).toBeCloseTo(0.12831843, 8);
    expect(flat.D1(0.5) / flat.D1(1)).toBeCloseTo(0.61180575, 8);
    expect(flat.f1(0.5)).toBeCloseTo(0.869285, 6);
    expect(flat.f1(1)).toBeCloseTo(0.512796, 6);
    const second = (a: number) => flat.D2(a) / flat.D1(a) ** 2;
    expect(second(0.1)).toBeCloseTo(-0.42857841, 8);
    expect(second(0.5)).toBeCloseTo(-0.42934628, 8);
    expect(second(1)).toBeCloseTo(-0.43227024, 8);
  });

  it("has them to rounding, by the hypergeometric function", () => {
    near(flat.D1(1), 0.7789810167707878);
    near(flat.D1(0.5) / flat.D1(1), 0.6118057533006068);
    near(flat.D1(0.1) / flat.D1(1), 0.12831843154454434);
    near(flat.f1(0.5), 0.8692851211850068);
    near(flat.f1(1), 0.5127962477302379);
    near(flat.D2(1) / flat.D1(1) ** 2, -0.43227024119305, 1e-12);
    near(flat.f2(1), 1.0404478314194, 1e-12);
  });

  it("is a and −3a²/7 for matter alone", () => {
    const eds = growthOf({ omegaM: 1 });
    for (const a of [1e-12, 1e-3, 0.02, 0.4, 1, 3]) {
      near(eds.D1(a), a, 1e-14);
      near(eds.D2(a), (-3 / 7) * a * a, 1e-14);
      near(eds.f1(a), 1, 1e-14);
      near(eds.f2(a), 2, 1e-14);
      near(eds.momentum1(a), 100 * a ** 1.5, 1e-13);
      near(eds.momentum2(a), (-600 / 7) * a ** 2.5, 1e-13);
    }
  });

  it("has an open universe of matter alone in closed form", () => {
    // Peebles 1980, eq 11.16, with x = (1/Ωm − 1) a.
    const open = growthOf({ darkEnergy: 0 });
    for (const a of [0.3, 0.5, 1, 2]) {
      const x = (0.7 / 0.3) * a;
      const D =
        2.5 * (0.3 / 0.7) * (1 + 3 / x + 3 * Math.sqrt((1 + x) / x ** 3) * Math.log(Math.sqrt(1 + x) - Math.sqrt(x)));
      near(open.D1(a), D);
    }
  });

  it("has a closed and a curved universe by Heath's integral", () => {
    near(growthOf({ omegaM: 1.5, darkEnergy: 0 }).D1(1), 1.2466667827205342);
    near(growthOf({ darkEnergy: 0.75 }).D1(1), 0.8200735068620326);
  });

  it("has the values of other codes with w0 and wa", () => {
    // Growth benchmark of the Core Cosmology Library at redshift 0 and 1 (Chisari et al. 2019), models 2 to 5.
    const models: [Partial<BackgroundParameters>, number, number][] = [
      [{ w0: -0.9 }, 0.7567071, 0.468737],
      [{ w0: -0.9, wa: 0.1 }, 0.7479643, 0.4645434],
      [{ w0: -0.9, wa: 0.1, darkEnergy: 0.65 }, 0.7157714, 0.4480479],
      [{ w0: -0.9, wa: 0.1, darkEnergy: 0.75 }, 0.7831042, 0.4823812],
    ];
    for (const [change, today, early] of models) {
      const growth = growthOf(change);
      near(growth.D1(1), today, 2e-6);
      near(growth.D1(0.5), early, 2e-6);
    }
    // Integrated by an eighth-order Runge–Kutta method with a tolerance of 1e-13.
    const { f1, f2, D1, D2 } = growthOf({ w0: -0.9, wa: 0.1, darkEnergy: 0.65 }).at(1);
    near(f1, 0.50877005301559);
    near(f2, 1.0344013730102);
    near(D2 / D1 ** 2, -0.434526765223, 1e-7);
  });

  it("has Mészáros' solution with radiation", () => {
    const radiant = growthOf({ radiation: true });
    const { matter, radiation } = radiant.background.today;
    const nothingElse = growthOf({ omegaM: 1 - radiation, radiation: true, darkEnergy: 0 });
    expect(nothingElse.background.today.curvature).toBe(0);
    for (const a of [1e-12, 1e-8, 1e-5, 1e-3, 0.01, 1, 5]) {
      near(nothingElse.D1(a), a + ((2 / 3) * radiation) / (1 - radiation));
    }
    near(radiant.D1(1e-5), 1e-5 + ((2 / 3) * radiation) / matter);
    near(radiant.D1(1), 0.7792694089454, 1e-12);
    near(radiant.f1(1), 0.5127770382553, 1e-12);
    near(radiant.D2(1), -0.262702184226, 1e-11);
    near(radiant.f2(0.01), 1.9441486451067, 1e-11);
    const cool = growthOf({ radiation: true, tCmb: 0.02 });
    near(cool.D1(1), flat.D1(1), 1e-10);
    near(cool.D2(0.5), flat.D2(0.5), 1e-10);
  });

  it("is continuous where the series hands over to the integration", () => {
    for (const change of [
      {},
      { darkEnergy: 0 },
      { w0: -0.8, wa: 0.6 },
      { radiation: true },
      { darkEnergy: 0.6, wa: -0.5 },
    ]) {
      const growth = growthOf(change);
      for (let x = -24; x < 1; x += 0.37) {
        const [before, at, after] = [-1e-3, 0, 1e-3].map((step) => growth.at(Math.exp(x + step)));
        near(at.f1, Math.log(after.D1 / before.D1) / 2e-3, 1e-6);
        near(at.f2, Math.log(after.D2 / before.D2) / 2e-3, 1e-6);
      }
    }
  });

  it("gives momenta of displacements", () => {
    const a = 0.6;
    const step = 1e-4;
    const time = flat.background.age(a + step) - flat.background.age(a - step);
    near(flat.momentum1(a), (a * a * (flat.D1(a + step) - flat.D1(a - step))) / time, 1e-6);
    near(flat.momentum2(a), (a * a * (flat.D2(a + step) - flat.D2(a - step))) / time, 1e-6);
  });

  it("refuses times that there aren't", () => {
    for (const a of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => flat.at(a)).toThrow(/expected a scale factor above 0/);
    }
    expect(() => growthOf({ omegaM: 1.5, darkEnergy: 0 }).D1(3.2)).toThrow(/H² ≤ 0/);
  });
});

describe("extrapolated steps", () => {
  it("are of twelfth order", () => {
    const error = (count: number) => {
      let y: Float64Array = Float64Array.of(1, 0);
      const step = 20 / count;
      for (let i = 0; i < count; i++) {
        y = extrapolatedStep((_, [value, slope], out) => out.set([slope, -value]), i * step, y, step);
      }
      return Math.hypot(y[0] - Math.cos(20), y[1] + Math.sin(20));
    };
    const [coarse, fine] = [error(8), error(12)];
    expect(fine).toBeGreaterThan(1e-12);
    expect(Math.log(coarse / fine) / Math.log(12 / 8)).toBeGreaterThan(11.5);
    expect(error(160)).toBeLessThan(1e-13);
  });
});
