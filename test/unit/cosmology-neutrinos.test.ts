/** Massive neutrinos: background in its limits, the response's kernel, linear growth against CLASS, and a deck's keys. */
import { describe, expect, it } from "vitest";
import { Background, type BackgroundParameters } from "../../src/physics/cosmology/background.ts";
import { NEUTRINO_PER_PHOTON, PHOTONS_AT_1_KELVIN, SPECIES_OF_MASSIVE } from "../../src/physics/cosmology/constants.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { firstIntegral, NeutrinoGrowth, secondIntegral } from "../../src/physics/cosmology/neutrino-response.ts";
import { LinearPower } from "../../src/physics/cosmology/power.ts";
import { integral } from "../../src/physics/cosmology/quadrature.ts";
import { cosmologyDefaults, neutrinoNotes } from "../../src/physics/cosmology/settings.ts";
import { spectrumTable } from "../../src/physics/cosmology/table.ts";

const given: BackgroundParameters = {
  ...{ h: 0.7, omegaM: 0.3, omegaB: 0.05, radiation: true, neutrinoMasses: [0.05, 0.05, 0.05] },
};
const background = new Background(given);
/** Of CLASS 3.3 with T_ncdm = 0.71611: k [h/Mpc], √(Pcb(0)/Pcb(49)), √(Pm/Pcb) today. */
const CLASS_FIGURES = [
  [0.02, 37.9253, 0.9933],
  [0.05, 37.8168, 0.990555],
  [0.1, 37.7937, 0.989563],
  [0.3, 37.7866, 0.989115],
  [1, 37.7857, 0.989051],
  [5, 37.7849, 0.989044],
] as const;

describe("background with massive neutrinos", () => {
  const { today, neutrinos } = background;

  it("has Ων h² = Σm/93.14 eV as part of Ωm, a space that is flat, and radiation early on", () => {
    expect((today.neutrinos * 0.49 * 93.14) / 0.15).toBeCloseTo(1, 4);
    expect(today.matter + today.neutrinos).toBeCloseTo(0.3, 14);
    expect(today.curvature).toBe(0);
    const massless = 3 * PHOTONS_AT_1_KELVIN * 2.7255 ** 4 * NEUTRINO_PER_PHOTON * SPECIES_OF_MASSIVE;
    expect((neutrinos!.at(1e-7).density * 1e-28 * 0.49) / massless).toBeCloseTo(1, 9);
  });

  it("expands by the derivative of what it says", () => {
    for (const a of [1e-3, 0.01, 0.3, 1]) {
      const d = 1e-4;
      const slope = Math.log(background.hubble(a * Math.exp(d)) / background.hubble(a * Math.exp(-d))) / (2 * d);
      expect(background.hubbleSlope(a)).toBeCloseTo(slope, 7);
    }
  });

  it("refuses more species or mass than there is room for", () => {
    expect(() => new Background({ ...given, neutrinoMasses: [0.1, 0.1, 0.1, 0.1] })).toThrow(/at most nEff/);
    expect(() => new Background({ ...given, neutrinoMasses: [12] })).toThrow(/neutrinos with less than omegaM/);
    expect(neutrinoNotes({ ...cosmologyDefaults, neutrinoMasses: [0.1] })[0]).toMatch(
      /Σm = 0.1 eV: Ων h² = 0.001074, fν/,
    );
  });
});

describe("linear response", () => {
  /** ∫ x² sin(κx)/(κx)/(eˣ + 1) dx over that at κ = 0. */
  const transform = (kappa: number) => {
    const weight = (x: number) => x ** 2 / (Math.exp(x) + 1);
    const sinc = (x: number) => (kappa * x < 1e-9 ? 1 : Math.sin(kappa * x) / (kappa * x));
    return integral((x) => weight(x) * sinc(x), 0, 40, 60) / integral(weight, 0, 40, 60);
  };

  it.each([0.01, 1, 6])("has the integrals of the Fermi–Dirac transform to κ = %d", (kappa) => {
    const first = integral((x) => x * transform(x), 0, kappa, 2);
    const second = integral((x) => (kappa - x) * x * transform(x), 0, kappa, 2);
    expect(firstIntegral(kappa) / first).toBeCloseTo(1, 5);
    expect(secondIntegral(kappa) / second).toBeCloseTo(1, 5);
  });

  it("grows cold matter as CLASS 3.3 has it, and neutrinos' share of all matter", () => {
    const growth = NeutrinoGrowth.of(background);
    const [start, now] = [growth.at(0.02), growth.at(1)];
    for (const [k, grown, share] of CLASS_FIGURES) {
      expect(Math.abs(now.cold(k) / start.cold(k) / grown - 1)).toBeLessThan(5e-4);
      expect(Math.abs(now.total(k) / now.cold(k) / share - 1)).toBeLessThan(5e-4);
    }
    // Far below the free-streaming length neutrinos are smooth: the growing rate (Bond, Efstathiou & Silk 1980).
    const { matter, neutrinos } = background.fractions(0.05);
    expect(growth.at(0.05).rate(10)).toBeCloseTo((Math.sqrt(1 + (24 * matter) / (matter + neutrinos)) - 1) / 4, 1.5);
  });
});

describe("linear power with massive neutrinos", () => {
  const K = Array.from({ length: 200 }, (_, i) => 10 ** (-5 + (7 * i) / 199));
  const table = (title: string, name = "pk.dat", z = 0) =>
    spectrumTable([`# z = ${z}`, `# k ${title}`, ...K.map((k) => `${k} ${1e4 * k * Math.exp(-k)}`)].join("\n"), name);
  const power = (transfer: ReturnType<typeof table>) =>
    new LinearPower(background, new Growth(background), { transfer, amplitude: "tabulated" });

  it("takes a table for all matter, or for cold matter and baryons by its title or CLASS's name of the file", () => {
    const [all, cold, named] = [table("P"), table("P_cb"), table("P", "run_z1_pk_cb.dat")].map(power);
    const truth = (k: number) => 1e4 * k * Math.exp(-k);
    expect(cold.power(0.1) / truth(0.1)).toBeCloseTo(1, 3);
    expect(named.power(0.1)).toBe(cold.power(0.1));
    // δm = (1 − fν) δcb where neutrinos are smooth.
    expect(all.power(20) / truth(20)).toBeCloseTo(1 / (1 - background.today.neutrinos / 0.3) ** 2, 3);
    expect(cold.sigma8).toBeLessThan(all.sigma8);
    // One of another time is that of the same time later on.
    expect(power(table("P_cb", "pk.dat", 49)).power(0.3, 0.02) / truth(0.3)).toBeCloseTo(1, 3);
  });
});
