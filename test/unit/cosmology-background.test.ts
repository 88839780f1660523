/** Expansion, ages and distances against closed forms, and values integrated with 30 digits elsewhere. */
import { describe, expect, it } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { Background, type BackgroundParameters } from "../../src/physics/cosmology/background.ts";
import { criticalDensity } from "../../src/physics/cosmology/constants.ts";
import { gaussLegendre, integral } from "../../src/physics/cosmology/quadrature.ts";
import { matterOf } from "../../src/physics/cosmology/settings.ts";

const { G, timeInGyr } = unitSystem("cosmological");
const flat = new Background({ h: 0.7, omegaM: 0.3 });
const radiant = new Background({ h: 0.7, omegaM: 0.3, radiation: true });
const SCALES = [1e-4, 0.01, 0.3, 0.77, 1, 1.6];

/** Holds a value to a relative error. */
function near(value: number, expected: number, tolerance = 1e-13) {
  expect(Math.abs(value / expected - 1)).toBeLessThan(tolerance);
}

describe("background", () => {
  it("is exact for Einstein and de Sitter's universe", () => {
    const eds = new Background({ h: 0.7, omegaM: 1 });
    expect(eds.today).toEqual({ matter: 1, neutrinos: 0, baryons: 0, radiation: 0, darkEnergy: 0, curvature: 0 });
    for (const a of SCALES) {
      near(eds.hubble(a), 100 * a ** -1.5);
      near(eds.age(a), a ** 1.5 / 150);
      near(eds.scaleFactor(a ** 1.5 / 150), a);
      near(eds.hubbleSlope(a), -1.5);
    }
    near(eds.comovingDistance(0.25), 2 * 2997.92458 * 0.5);
  });

  it("has the age of flat ΛCDM in closed form", () => {
    const age = (a: number) => (2 / (3 * Math.sqrt(0.7))) * Math.asinh(Math.sqrt((0.7 / 0.3) * a ** 3)) * 0.01;
    for (const a of SCALES) near(flat.age(a), age(a));
    near(flat.age(1), 0.00964099381639469);
    near(flat.lookbackTime(0.3), age(1) - age(0.3));
    near(flat.lookbackTime(1.6), age(1) - age(1.6));
    near(flat.inGyr(flat.age(1)), (flat.age(1) * timeInGyr!) / 0.7);
    near(flat.inGyr(flat.age(1)), 13.46698395, 1e-9);
  });

  it("has open and closed universes of matter alone in closed form", () => {
    // Peebles 1993, eqs 13.10: a = A (cosh η − 1), t = A^{3/2}… (sinh η − η), and sines for the closed one.
    const open = new Background({ h: 0.7, omegaM: 0.3, darkEnergy: 0 });
    near(open.today.curvature, 0.7);
    const scaleOpen = 0.3 / (2 * 0.7);
    for (const eta of [0.1, 1, 2]) {
      near(open.age(scaleOpen * (Math.cosh(eta) - 1)), ((Math.sinh(eta) - eta) * 0.3) / (200 * 0.7 ** 1.5), 1e-12);
    }
    const closed = new Background({ h: 0.7, omegaM: 1.5, darkEnergy: 0 });
    for (const eta of [0.1, 1, 2]) {
      near(closed.age(1.5 * (1 - Math.cos(eta))), ((eta - Math.sin(eta)) * 1.5) / (200 * 0.5 ** 1.5), 1e-12);
    }
    // η is also the comoving distance in units of the radius of curvature.
    const radius = 2997.92458 / Math.sqrt(0.7);
    const etaOf = (a: number) => Math.acosh(1 + a / scaleOpen);
    near(open.comovingDistance(0.2), radius * (etaOf(1) - etaOf(0.2)));
    near(open.transverseDistance(0.2), radius * Math.sinh(etaOf(1) - etaOf(0.2)));
    const radiusClosed = 2997.92458 / Math.sqrt(0.5);
    const angle = Math.acos(1 - 1 / 1.5) - Math.acos(1 - 0.2 / 1.5);
    near(closed.transverseDistance(0.2), radiusClosed * Math.sin(angle));
    expect(flat.transverseDistance(0.2)).toBe(flat.comovingDistance(0.2));
  });

  it("stops where a closed universe turns round", () => {
    const closed = new Background({ h: 0.7, omegaM: 1.5, darkEnergy: 0 });
    expect(closed.expansion(2.999)).toBeGreaterThan(0);
    expect(() => closed.expansion(3.001)).toThrow(/scale factor that the universe reaches.*3\.001/);
  });

  it("counts radiation", () => {
    near(radiant.today.radiation, 8.535876457401236e-5);
    near(radiant.age(1), 0.009637207237702188);
    near(radiant.comovingDistance(1 / 1101), 9532.469863230846);
    near(radiant.hubbleSlope(1e-12), -2, 1e-8);
    // Radiation alone: a ∝ √t.
    near(radiant.age(1e-12) / radiant.age(1e-14), 1e4, 1e-7);
    const { matter, radiation, darkEnergy, curvature } = radiant.fractions(0.01);
    near(matter + radiation + darkEnergy + curvature, 1);
    // Planck 2018: Ωγh² = 2.473e-5 at 2.7255 K.
    const photons = new Background({ h: 0.7, omegaM: 0.3, radiation: true, nEff: 0 }).today.radiation;
    near(photons * 0.49, 2.473e-5, 1e-4);
    const warm = new Background({ h: 0.7, omegaM: 0.3, radiation: true, nEff: 0, tCmb: 5.451 });
    near(warm.today.radiation, 16 * photons);
  });

  it("lets dark energy evolve", () => {
    const expansion = (change: Partial<BackgroundParameters>, a: number) =>
      new Background({ h: 1, omegaM: 0.3, ...change }).expansion(a);
    near(expansion({ w0: -0.9 }, 0.5) ** 2, 0.3 * 8 + 0.7 * 0.5 ** -0.3);
    near(expansion({ w0: -0.9, wa: 0.2 }, 0.5) ** 2, 0.3 * 8 + 0.7 * 0.5 ** -0.9 * Math.exp(-0.3));
    const evolving = new Background({ h: 0.7, omegaM: 0.3, darkEnergy: 0.6, w0: -0.9, wa: 0.2, radiation: true });
    for (const a of [1e-3, 0.2, 0.7, 1, 1.4]) {
      const e = 1e-4;
      const slope = Math.log(evolving.expansion(a * Math.exp(e)) / evolving.expansion(a * Math.exp(-e))) / (2 * e);
      near(evolving.hubbleSlope(a), slope, 1e-8);
    }
  });

  it("finds the scale factor of an age", () => {
    const models = [flat, radiant, new Background({ h: 0.7, omegaM: 0.3, darkEnergy: 0.75, w0: -0.9, wa: 0.1 })];
    for (const model of models) for (const a of [1e-6, ...SCALES, 8]) near(model.scaleFactor(model.age(a)), a);
    expect(() => flat.scaleFactor(-1)).toThrow(/an age above 0, found -1/);
  });

  it.each<[string, Partial<BackgroundParameters>, RegExp]>([
    ["no number", { omegaM: Number.NaN }, /expected a number for omegaM, found NaN/],
    ["text", { h: "0.7" as unknown as number }, /expected a number for h, found 0\.7/],
    ["no matter", { omegaM: 0 }, /omegaM \(Ωm today\) above 0, found 0/],
    ["h as H0", { h: 70 }, /h = H0\/\(100 km\/s\/Mpc\) between 0 and 10, found 70/],
    ["too many baryons", { omegaB: 0.4 }, /omegaB \(Ωb today\) between 0 and omegaM = 0\.3, found 0\.4/],
    ["no temperature", { tCmb: 0 }, /temperature.*above 0 K, found 0/],
    ["negative neutrinos", { nEff: -1 }, /nEff.*found -1/],
    ["early dark energy", { w0: -0.9, wa: 0.85 }, /w0 \+ wa of at most -0\.1/],
    ["no big bang", { darkEnergy: 1.8 }, /big bang with omegaM = 0\.3 and darkEnergy = 1\.8, found H² ≤ 0 at a = /],
  ])("refuses %s", (_, change, message) => {
    expect(() => new Background({ h: 0.7, omegaM: 0.3, ...change })).toThrow(message);
  });
});

describe("densities", () => {
  it("are those of the cosmological unit system", () => {
    near(criticalDensity(G), 27.7536627, 2e-9);
    near(matterOf(0.3, 100), 0.3 * criticalDensity(G) * 1e6);
  });
});

describe("quadrature", () => {
  it("is exact for polynomials up to degree 2n − 1", () => {
    const { nodes, weights } = gaussLegendre(5);
    for (let degree = 0; degree < 10; degree++) {
      const sum = nodes.reduce((total, x, i) => total + weights[i] * x ** degree, 0);
      expect(sum).toBeCloseTo(degree % 2 === 0 ? 2 / (degree + 1) : 0, 15);
    }
    expect(Math.abs(nodes.reduce((total, x, i) => total + weights[i] * x ** 10, 0) - 2 / 11)).toBeGreaterThan(1e-3);
    near(integral(Math.exp, 0, 3, 2), Math.exp(3) - 1);
    near(integral(Math.exp, 3, 0), 1 - Math.exp(3));
  });
});
