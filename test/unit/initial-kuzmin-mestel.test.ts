/** Kuzmin and Mestel disks: surface density, velocities against their Jeans equation and closed forms, fields. */
import { describe, expect, it } from "vitest";
import { hernquistShape } from "../../src/physics/initial/hernquist.ts";
import { kuzmin, massFraction } from "../../src/physics/initial/kuzmin-disk.ts";
import { mestelDensity, mestelDisk } from "../../src/physics/initial/mestel-disk.ts";
import type { ComponentOf } from "../../src/physics/initial/models.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { totalField } from "../../src/physics/initial/total-field.ts";
import { externalField } from "../../src/physics/potentials/external.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { smallDeck } from "../support/decks.ts";
import { cylindrical, KS_LIMIT, kolmogorovSmirnov, moments, motionsOf } from "./initial-samples.ts";

const SIZE = 60;
const count = 100_000;
const deck = (tables: string) => smallDeck(tables, { size: SIZE, cells: 64, step: 0.1 });

const sample = async (tables: string, G = 1) => initialConditions(parseScenario(deck(tables)), { G });

/** Mean within 3σ of `expected`, deviation within 3σ of its own, with the fourth moment's noise. */
function expectMoments(values: number[], mean: number, sigma: number, slack = 0.003): void {
  const found = moments(values);
  const fourth = values.reduce((sum, v) => sum + ((v - found.mean) / found.deviation) ** 4, 0) / values.length;
  expect(Math.abs(found.mean - mean)).toBeLessThan((3 * sigma) / Math.sqrt(values.length) + slack * Math.abs(mean));
  expect(Math.abs(found.deviation / sigma - 1)).toBeLessThan(3 * Math.sqrt((fourth - 1) / (4 * values.length)) + slack);
}

describe("kuzmin-disk", () => {
  const G = 2;
  const model = {
    name: "disk",
    mass: 3,
    scale: 1.5,
    scaleHeight: 0.15,
    toomreQ: 1.3,
    sigma: 0,
    cutoff: 15,
    layer: "sech2",
  } as const;
  const table = `[[particles]]
kind = "kuzmin-disk"
name = "disk"
count = ${count}
mass = 3
scale = 1.5
scaleHeight = 0.15
toomreQ = 1.3
cutoff = 15
[[particles]]
kind = "hernquist"
name = "halo"
rigid = true
mass = 8
scale = 5`;
  const field = totalField({ flat: [kuzmin.flat(model)], spheres: [hernquistShape(8, 5)], external: [] }, G);
  const kinematics = motionsOf(kuzmin.kinematics(model, field, G), G);

  it("has its surface density, and the velocities of its Jeans equations", async () => {
    const { R, z, vR, vphi, vz } = cylindrical((await sample(table, G)).particles, SIZE);
    expect(kolmogorovSmirnov(R, (r) => massFraction(r / 1.5) / massFraction(10))).toBeLessThan(KS_LIMIT);
    expect(kolmogorovSmirnov(z, (height) => (1 + Math.tanh(height / 0.15)) / 2)).toBeLessThan(KS_LIMIT);
    for (const target of [0.75, 1.5, 3, 6]) {
      const here = [...R.keys()].filter((i) => Math.abs(R[i] / target - 1) < 0.03);
      const [radial, azimuthal] = kinematics.dispersions(target);
      expectMoments(
        here.map((i) => vR[i]),
        0,
        radial,
        0.006,
      );
      const about = here.map((i) => vphi[i] - kinematics.meanRotation(R[i]));
      expectMoments(about, 0, azimuthal, 0.006);
      expectMoments(
        here.map((i) => vz[i] / kinematics.verticalDispersion(R[i], z[i])),
        0,
        1,
      );
      // The Jeans equation of the moments that the sample was just compared with.
      const stress = (r: number) => kinematics.surfaceDensity(r) * kinematics.dispersions(r)[0] ** 2;
      const step = 0.03 * target;
      const gradient = (stress(target + step) - stress(target - step)) / (2 * step) / kinematics.surfaceDensity(target);
      const balance = (kinematics.meanRotation(target) ** 2 + azimuthal ** 2 - radial ** 2) / target - gradient;
      expect(Math.abs((balance * target) / kinematics.circularSpeed(target) ** 2 - 1)).toBeLessThan(0.02);
    }
  });

  it("has the same Q at all radii", () => {
    for (const R of [0.75, 1.5, 3, 6, 10]) expect(kinematics.toomreQ(R) / 1.3).toBeCloseTo(1, 1.5);
  });

  it("of tracers turns in the field of what is about the same centre", async () => {
    const table =
      'kind = "kuzmin-disk"\ncount = 2000\nmass = 0\nsigma = 0.02\nscale = 1\nscaleHeight = 0.05\ncutoff = 8';
    const { particles } = await sample(
      `[[particles]]\n${table}\n[[potential]]\nkind = "plummer"\nmass = 4\nscale = 1\n`,
    );
    const { R, vphi } = cylindrical(particles, SIZE);
    const speeds = [...R.keys()].filter((i) => R[i] > 1.9 && R[i] < 2.1).map((i) => vphi[i]);
    expect(speeds.length).toBeGreaterThan(50);
    expect(moments(speeds).mean).toBeCloseTo(Math.sqrt((4 * 4) / 5 ** 1.5), 1);
  });
});

describe("mestel-disk", () => {
  const table = (more = "") => `[[particles]]
kind = "mestel-disk"
name = "disk"
count = ${count}
speed = 1
innerRadius = 1
outerRadius = 11.5
cutoff = 23
${more}
[[potential]]
kind = "logarithmic"
speed = 0.7071
core = 0
[[potential]]
kind = "plummer"
mass = 0.6
scale = 0.5`;

  it("has the velocities of its distribution function between the tapers", async () => {
    const { R, vR, vphi, z, vz } = cylindrical((await sample(table())).particles, SIZE);
    // q = 6: σ = V/√7; v̄_φ = √2 σ Γ(4)/Γ(3.5), ⟨v_φ²⟩ = V².
    const sigma = 1 / Math.sqrt(7);
    const mean = (Math.SQRT2 * sigma * 6) / 3.3233509704478426;
    for (const target of [3.5, 4, 5]) {
      const here = [...R.keys()].filter((i) => Math.abs(R[i] / target - 1) < 0.05);
      expectMoments(
        here.map((i) => vR[i]),
        0,
        sigma,
      );
      // Both tapers take a share of less than 1.5 % there.
      expectMoments(
        here.map((i) => vphi[i]),
        mean,
        Math.sqrt(1 - mean * mean),
        0.012,
      );
    }
    expect(z.every((height) => Math.abs(height) < 1e-12)).toBe(true);
    expect(vz.every((speed) => speed === 0)).toBe(true);
  });

  it("thins out as its tapers say, by quadrature of the distribution function", async () => {
    const { particles } = await sample(table());
    const { R } = cylindrical(particles, SIZE);
    /** Share of v_R with E below that of the orbit of the same L that turns at the cutoff, by steps of v_R. */
    const staying = (r: number, v: number) => {
      let [inside, whole] = [0, 0];
      for (let u = 0.01; u < 2.5; u += 0.02) {
        const weight = Math.exp(-3.5 * u * u);
        whole += weight;
        if (Math.log(r) + (u * u + v * v) / 2 < Math.log(23) + (r * v) ** 2 / (2 * 23 ** 2)) inside += weight;
      }
      return inside / whole;
    };
    /** ∫ f dv over V²/2πGR at R: σ = V/√7, v^6 e^{−7v²/2}, the tapers and the cutoff. */
    const left = (r: number) => {
      let [sum, whole] = [0, 0];
      for (let n = 0; n < 800; n++) {
        const v = (n + 0.5) / 200;
        const weight = v ** 6 * Math.exp(-3.5 * v * v);
        const L = r * v;
        whole += weight;
        sum += (weight * staying(r, v) * (L ** 4 / (1 + L ** 4))) / (1 + (L / 11.5) ** 5);
      }
      return sum / whole;
    };
    const edges = Array.from({ length: 231 }, (_, i) => i / 10);
    const masses = edges.map(() => 0);
    for (let i = 1; i < edges.length; i++) masses[i] = masses[i - 1] + 0.1 * left(edges[i] - 0.05);
    const cumulative = (r: number) => {
      const i = Math.min(229, Math.floor(r * 10));
      return (masses[i] + (r * 10 - i) * (masses[i + 1] - masses[i])) / masses[230];
    };
    expect(kolmogorovSmirnov(R, cumulative)).toBeLessThan(KS_LIMIT);
    // ξV²/G per unit of R.
    expect(particles.masses[0] * count).toBeCloseTo(0.5 * masses[230], 3);
  });

  it("has a thickness where it is asked for, in equilibrium across the plane", async () => {
    const { R, z, vz } = cylindrical((await sample(table("scaleHeight = 0.1"))).particles, SIZE);
    expect(kolmogorovSmirnov(z, (height) => (1 + Math.tanh(height / 0.1)) / 2)).toBeLessThan(KS_LIMIT);
    // ⟨v_z²⟩ = ⟨z ∂φ/∂z⟩ of the stars of a ring.
    const disk = {
      ...{ name: "disk", speed: 1, innerRadius: 1, innerTaper: 4, outerRadius: 11.5, outerTaper: 5, q: 6 },
      ...{ count: 1, activeFraction: 0.5, scaleHeight: 0.1, cutoff: 23, centre: true, complete: false },
    };
    const external = [
      {
        kind: "logarithmic",
        centre: [0, 0, 0] as [number, number, number],
        parameters: { speed: Math.SQRT1_2, core: 0, flattening: 1, elongation: 1 },
      },
    ];
    const field = totalField({ flat: [mestelDensity(disk, 1)], spheres: [], external }, 1);
    const heights = Float64Array.from({ length: 200 }, (_, j) => j / 200);
    const { vertical } = field.forces(Float64Array.of(5), heights);
    let virial = 0;
    for (let j = 0; j < 200; j++) virial -= (heights[j] * vertical[j]) / Math.cosh(heights[j] / 0.1) ** 2 / 0.1 / 200;
    const here = [...R.keys()].filter((i) => Math.abs(R[i] / 5 - 1) < 0.05);
    expect(Math.abs(moments(here.map((i) => vz[i])).deviation / Math.sqrt(virial) - 1)).toBeLessThan(
      3 / Math.sqrt(2 * here.length) + 0.01,
    );
  });

  it.each([
    [6, 11.5, 0],
    [4, 4, 0.1],
  ])(
    "sets up all of its mass, ν = %d to %d: V at all radii, and as many at each L as the tapers leave",
    async (nu, Ro, z0) => {
      const keys = `speed = 1\ninnerRadius = 1\ninnerTaper = ${nu}\nouterRadius = ${Ro}\nactiveFraction = 1\ncutoff = ${2.5 * Ro}`;
      const text = deck(`[[particles]]\nkind = "mestel-disk"\ncount = ${count}\n${keys}\nscaleHeight = ${z0}`);
      const scenario = parseScenario(text);
      const { particles, externalPotentials: external } = await initialConditions(scenario, { G: 2 });
      const [component] = scenario.particles as [ComponentOf<"mestel-disk">];
      const own = totalField({ flat: [mestelDensity(component, 2)], spheres: [], external: [] }, 2);
      const radii = Float64Array.of(1, 1.5, 2, 3, 0.75 * Ro, Ro);
      const { radial } = own.forces(radii, Float64Array.of(0));
      for (const [i, R] of radii.entries()) {
        const at = Float64Array.of(SIZE / 2 + R, SIZE / 2, SIZE / 2);
        const [pull] = externalField({ G: 2, externalPotentials: external }, at, 0).accelerations;
        expect(Math.abs(-R * (radial[i] + pull) - 1)).toBeLessThan(0.02);
      }
      const { R, vphi } = cylindrical(particles, SIZE);
      // Orbits of a larger L that would reach beyond the cutoff are left out.
      const L = Float64Array.from(R, (r, i) => r * vphi[i]).filter((value) => value < Ro / 2);
      const at = (n: number) => (n / 4000) * Ro;
      const sums = [0];
      for (let n = 0; n < 2000; n++) {
        const l = at(n + 0.5);
        sums.push(sums[n] + 1 / (1 + l ** -nu) / (1 + (l / Ro) ** 5));
      }
      const cumulative = (l: number) => sums[Math.min(2000, Math.round((l / Ro) * 4000))] / sums[2000];
      expect(kolmogorovSmirnov(L, cumulative)).toBeLessThan(KS_LIMIT);
    },
  );

  it("says where the rest of the field is missing, and what it proposes works", async () => {
    const alone = table("complete = false").slice(0, table("complete = false").indexOf("[[potential]]"));
    await expect(sample(alone)).rejects.toThrow(
      /component "disk": expected a circular speed of 1 of all that acts about its centre, to 10 %, found 0\.\d+ at .*complete = true/,
    );
    await sample(alone.replace("complete = false", "complete = true"));
    await expect(sample(table("complete = true"))).rejects.toThrow(/found 1\.\d+ at .*complete = false/);
    expect(() => parseScenario(deck(table("activeFraction = 1.5")))).toThrow(
      /activeFraction: expected at most 1, found 1\.5/,
    );
    expect(mestelDisk.name).toBe("mestel-disk");
  });
});
