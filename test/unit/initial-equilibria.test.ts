/**
 * Spheres in equilibrium against the Jeans equation, solved by quadrature of each model's own density in its own
 * potential: no distribution function enters it. With β = r²/(r² + r_a²),
 *   ρσ_r² = 1/(r² + r_a²) ∫_r^∞ (s² + r_a²) ρ G M/s² ds,   σ_t² = (1 − β) σ_r² along each of the two other axes.
 * Source: Binney & Tremaine 2008, eq 4.216 with Merritt 1985, eq 18.
 */
import { describe, expect, it } from "vitest";
import { initialConditions, parseScenario, registerPotential } from "../../src/index.ts";
import { isochroneShape } from "../../src/physics/initial/isochrone.ts";
import { kingShape } from "../../src/physics/initial/king.ts";
import { meanMass as massOf } from "../../src/physics/initial/monopole.ts";
import { plummerShape } from "../../src/physics/initial/plummer.ts";
import { equilibriumSpheres } from "../../src/physics/initial/sphere.ts";
import { contextsOf } from "../../src/physics/initial/worker-pool.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { harmonic } from "../support/harmonic.ts";
import { KS_LIMIT, kolmogorovSmirnov, radiiOf } from "./initial-samples.ts";

registerPotential(harmonic);

const G = 2;
const SIZE = 64;
const CENTRE: [number, number, number] = [SIZE / 2, SIZE / 2, SIZE / 2];
const COUNT = 40_000;
/** Of equally many particles. */
const SHELLS = 5;
/** In standard errors. */
const LIMIT = 3;
const ISOTROPIC = Number.POSITIVE_INFINITY;

const scenarioOf = (tables: string) =>
  parseScenario(`title = "t"\nbox.size = ${SIZE}\nmesh.cells = 16\ntime = { end = 1, step = 0.1 }\n${tables}`);

/** `keys` beside count and mass, particles as drawn; more tables may follow. */
const sphere = (keys: string, ra: number, more = "") =>
  `[[particles]]\nname = "sphere"\ncount = ${COUNT}\ncentre = false\nmass = 3\nanisotropyRadius = ${ra === ISOTROPIC ? "inf" : ra}\n${keys}\n${more}`;

/** The sphere's particles, its mass profile as tabulated, and the mass inside r that moves it. */
async function made(tables: string, external: (r: number) => number = () => 0) {
  const scenario = scenarioOf(tables);
  const { particles } = await initialConditions(scenario, { G });
  const { profile } = contextsOf(scenario, { G })[0].equilibrium();
  return { particles, profile, mass: (r: number) => profile.mass(r) + external(r) };
}
type Made = Awaited<ReturnType<typeof made>>;

/** σ_r² at r, by steps of ln r from the outside. */
function radialDispersion({ profile, mass }: Made, ra: number): (r: number) => number {
  const [points, first] = [6000, 1e-10];
  const step = Math.log(SIZE / 2 / first) / (points - 1);
  const radius = (i: number) => first * Math.exp(i * step);
  const weight = (r: number) => (ra === ISOTROPIC ? 1 : r * r + ra * ra);
  const integrand = (r: number) => (weight(r) * profile.density(r) * G * mass(r)) / r;
  const pressure = new Float64Array(points);
  for (let i = points - 2; i >= 0; i--) {
    const [inner, middle, outer] = [i, i + 0.5, i + 1].map((at) => integrand(radius(at)));
    pressure[i] = pressure[i + 1] + (step * (inner + 4 * middle + outer)) / 6;
  }
  return (r) => {
    const position = Math.max(0, Math.log(r / first) / step);
    const i = Math.min(points - 2, Math.floor(position));
    const t = position - i;
    return ((1 - t) * pressure[i] + t * pressure[i + 1]) / (weight(r) * profile.density(r));
  };
}

/** How far a sum of differences is from 0, in its standard errors. */
class Deviation {
  #sum = 0;
  #squares = 0;
  add(difference: number): void {
    this.#sum += difference;
    this.#squares += difference * difference;
  }
  get sigmas(): number {
    return this.#sum / Math.sqrt(this.#squares);
  }
}

/** Of v_r² and v_t² in shells from the inside out, and of 2K − |W|, in standard errors. */
function deviations({ positions, velocities }: ParticleSet, set: Made, ra: number) {
  const dispersion = radialDispersion(set, ra);
  const radii = Float64Array.from({ length: positions.length / 3 }, (_, i) =>
    Math.hypot(positions[3 * i] - CENTRE[0], positions[3 * i + 1] - CENTRE[1], positions[3 * i + 2] - CENTRE[2]),
  );
  const virial = new Deviation();
  const shells = Array.from({ length: SHELLS }, () => [new Deviation(), new Deviation()]);
  Array.from(radii.keys())
    .sort((a, b) => radii[a] - radii[b])
    .forEach((id, rank) => {
      const r = radii[id];
      let [along, square] = [0, 0];
      for (let k = 0; k < 3; k++) {
        const v = velocities[3 * id + k];
        along += (v * (positions[3 * id + k] - CENTRE[k])) / r;
        square += v * v;
      }
      virial.add(square - (G * set.mass(r)) / r);
      const expected = dispersion(r);
      const [radial, tangential] = shells[Math.floor((SHELLS * rank) / radii.length)];
      radial.add(along * along - expected);
      tangential.add((square - along * along) / 2 - expected / (1 + (r / ra) ** 2));
    });
  return { moments: shells.flat().map(({ sigmas }) => sigmas), virial: virial.sigmas };
}

/** Keys beside the mass, an anisotropy radius. */
const MODELS: [name: string, keys: string, anisotropyRadius: number][] = [
  ["Hernquist", 'kind = "hernquist"\nscale = 2\ncutoff = 20', 1],
  ["NFW", 'kind = "nfw"\nscale = 2\ncutoff = 25', 1.5],
  ["King, W0 = 3", 'kind = "king"\nscale = 2\nW0 = 3', 2.5],
  ["King, W0 = 7", 'kind = "king"\nscale = 0.5\nW0 = 7', 1.5],
  ["isochrone", 'kind = "isochrone"\nscale = 2\ncutoff = 30', 2],
  ["Dehnen, γ = 0", 'kind = "dehnen"\nscale = 2\ngamma = 0\ncutoff = 20', 3],
  ["Dehnen, γ = 3/2", 'kind = "dehnen"\nscale = 2\ngamma = 1.5\ncutoff = 20', 1],
  ["Dehnen, γ = 2.3", 'kind = "dehnen"\nscale = 2\ngamma = 2.3\ncutoff = 20', 1],
  ["Einasto", 'kind = "einasto"\nscale = 2\ncutoff = 20', 2],
];

describe.each(MODELS.map((model, index) => [...model, index + 11] as const))(
  "%s",
  (_, keys, anisotropyRadius, seed) => {
    it.each([
      ["isotropic", ISOTROPIC],
      ["with an anisotropy radius", anisotropyRadius],
    ])("%s: its moments are those of the Jeans equation", async (_, ra) => {
      const set = await made(sphere(`seed = ${seed}\n${keys}`, ra));
      const { moments, virial } = deviations(set.particles, set, ra);
      const held = set.profile.mass(SIZE);
      const statistic = kolmogorovSmirnov(radiiOf(set.particles, SIZE), (r) => set.profile.mass(r) / held);
      expect(statistic).toBeLessThan(KS_LIMIT);
      for (const moment of moments) expect(Math.abs(moment)).toBeLessThan(LIMIT);
      expect(Math.abs(virial)).toBeLessThan(LIMIT);
    });
  },
);

describe("a Plummer sphere about a rigid one, in a field of three axes", () => {
  const rigid = '[[particles]]\nkind = "plummer"\nmass = 1\nscale = 4\nrigid = true\n';
  const [speed, radius, flattening] = [1.1, 5, 0.7];
  const field = `[[potential]]\nkind = "flat-harmonic"\nspeed = ${speed}\nradius = ${radius}\nflattening = ${flattening}\n`;
  /** ⟨−a·r̂⟩ r²/G of φ = ½ (v/R)² (x² + y² + z²/q²). */
  const meanMass = (r: number) => ((speed / radius) ** 2 * (2 + flattening ** -2) * r ** 3) / (3 * G);
  const shape = plummerShape(1, 4);
  const external = (r: number) => shape.mass(r) + meanMass(r);
  const keys = 'kind = "plummer"\nscale = 2\ncutoff = 20';

  it.each([ISOTROPIC, 2.5])("r_a = %d: its moments are those of the Jeans equation", async (ra) => {
    const set = await made(sphere(keys, ra, rigid + field), external);
    const { moments, virial } = deviations(set.particles, set, ra);
    for (const moment of moments) expect(Math.abs(moment)).toBeLessThan(LIMIT);
    expect(Math.abs(virial)).toBeLessThan(LIMIT);
  });

  it("would not agree with another anisotropy, nor without the field", async () => {
    const set = await made(sphere(keys, 2.5, rigid + field), external);
    const otherRadius = deviations(set.particles, set, 3).moments;
    expect(Math.max(...otherRadius.map(Math.abs))).toBeGreaterThan(2 * LIMIT);
    const noField = { ...set, mass: (r: number) => set.mass(r) - meanMass(r) };
    expect(deviations(set.particles, noField, 2.5).virial).toBeGreaterThan(2 * LIMIT);
  });

  it("takes the mean radial force of the field for that of a mass", () => {
    const parameters = { speed, radius, flattening };
    const found = massOf({ kind: "flat-harmonic", centre: CENTRE, parameters }, G, 1000)!;
    for (const r of [1e-3, 0.1, 1, 30]) {
      expect(found.mass(r) / meanMass(r)).toBeCloseTo(1, 6);
      expect((found.density(r) * 4 * Math.PI * r ** 3) / (3 * meanMass(r))).toBeCloseTo(1, 2);
      expect((found.depth(0) - found.depth(r)) / (meanMass(r) / (2 * r))).toBeCloseTo(1, r < 0.1 ? 1 : 4);
    }
    // A Plummer sphere by another name, so that its formula isn't taken.
    const plummer = { mass: 3, scaleLength: 0, scaleHeight: 2 };
    const sphere = massOf({ kind: "miyamoto-nagai", centre: CENTRE, parameters: plummer }, G, 1e4)!;
    const expected = plummerShape(3, 2);
    for (const r of [1e-3, 0.1, 1, 30]) {
      expect(sphere.mass(r) / expected.mass(r)).toBeCloseTo(1, 6);
      expect(sphere.depth(r) / expected.depth(r)).toBeCloseTo(1, 3);
    }
  });
});

describe("distribution functions", () => {
  const df = (shape: ReturnType<typeof plummerShape>, cutoff: number, anisotropyRadius = ISOTROPIC) =>
    equilibriumSpheres([{ name: "sphere", shape, cutoff, anisotropyRadius }], [])[0].df;

  it("of an anisotropic Plummer sphere is Merritt's", () => {
    const ra = 1;
    const { depths, values } = df(plummerShape(1, 1), 1000, ra);
    for (let i = 0; i < depths.length; i++) {
      const Q = depths[i];
      if (Q < 0.02 || Q > 0.999) continue;
      const isotropic = ((24 * Math.SQRT2) / (7 * Math.PI ** 3)) * Q ** 3.5;
      // Merritt 1985, eq 45 for G = M = b = 1.
      expect(values[i] / (isotropic * (1 - 1 / ra ** 2 + 7 / (16 * ra ** 2 * Q ** 2)))).toBeCloseTo(1, 2);
    }
  });

  it("of a King model is a lowered isothermal sphere", () => {
    for (const W0 of [1, 5, 9]) {
      const shape = kingShape(2, 0.5, W0);
      const edge = 0.5 * kingEnd(W0);
      const { depths, values, edgeDepth, centralDepth } = df(shape, edge);
      const sigma2 = (centralDepth - edgeDepth) / W0;
      const relative = (i: number) => values[i] / Math.expm1((depths[i] - edgeDepth) / sigma2);
      const inner = depths.findIndex((depth) => depth < edgeDepth + 0.9 * W0 * sigma2);
      for (let i = 0; i < depths.length; i++) {
        const energy = (depths[i] - edgeDepth) / (W0 * sigma2);
        if (energy > 0.1 && energy < 0.99) expect(relative(i) / relative(inner)).toBeCloseTo(1, 2);
      }
    }
    // King 1966, table II: c = log10 r_t/r_0.
    expect(Math.log10(kingEnd(3))).toBeCloseTo(0.672, 2);
    expect(Math.log10(kingEnd(6))).toBeCloseTo(1.255, 2);
    expect(Math.log10(kingEnd(9))).toBeCloseTo(2.12, 2);
  });

  it.each([
    ["Plummer", plummerShape(1, 1), 0.75],
    ["isochrone", isochroneShape(1, 1), 0.874],
  ])("%s: an anisotropy radius that is too small is refused with the least that works", (_, shape, published) => {
    const fails = () => df(shape, 200, 0.6);
    expect(fails).toThrow(/component "sphere".*radial outside anisotropyRadius = 0\.6, found a negative distribution/);
    let least = 0;
    try {
      fails();
    } catch (error) {
      least = Number(/Try anisotropyRadius = ([0-9.]+) or more/.exec(String(error))![1]);
    }
    expect(least).toBeCloseTo(published, 2);
    expect(() => df(shape, 200, least)).not.toThrow();
    expect(() => df(shape, 200, 0.98 * least)).toThrow(/negative/);
  });
});

/** r_t/r_0: where the density ends. */
function kingEnd(W0: number): number {
  const { density } = kingShape(1, 1, W0);
  let [low, high] = [0.1, 1e5];
  while (high / low > 1 + 1e-12) {
    const middle = Math.sqrt(low * high);
    if (density(middle) > 0) low = middle;
    else high = middle;
  }
  return high;
}
