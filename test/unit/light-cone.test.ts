/** Crossings of the light cone by particles whose paths are known. */
import { describe, expect, it } from "vitest";
import { type ConeSettings, type Crossing, LightCone, OPENINGS } from "../../src/engine/diagnostics/light-cone.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { LensKernel, meanConvergence } from "../../src/physics/cosmology/lensing.ts";
import { ComovingClock, stepEdges } from "../../src/physics/cosmology/steps.ts";
import { ParticleRandom } from "../../src/physics/initial/philox.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

const clock = new ComovingClock(new Background({ h: 0.7, omegaM: 0.3 }), { factors: "standard" });
const L = 100;
const COUNT = 1200;
const SETTINGS: ConeSettings = {
  ...{ boxSize: L, observer: [50, 20, 0], opening: OPENINGS.sky(), margin: 0, farthest: 260 },
};

/** Free particles [km/s], x = x₀ + p ∫dt/a². */
function freely(speed: number) {
  const random = new ParticleRandom(3);
  const values = Float64Array.from({ length: 6 * COUNT }, (_, i) => {
    random.seek(i);
    return random.uniform();
  });
  const start = values.subarray(0, 3 * COUNT).map((u) => L * u);
  const velocities = Float32Array.from(values.subarray(3 * COUNT), (u) => speed * (2 * u - 1));
  return { velocities, start };
}

const FIRST = 0.9;

async function crossings(speed: number, steps: number, settings = SETTINGS) {
  const { velocities, start } = freely(speed);
  const cone = new LightCone(settings, clock, COUNT);
  const found: Crossing[] = [];
  async function* blocks(a: number) {
    const drift = clock.drift(FIRST, a, FIRST);
    const places = start.map((x, i) => x + velocities[i] * drift);
    const positions = places.map((x) => x - L * Math.floor(x / L));
    for (const first of [0, 1000]) {
      const [from, to] = [3 * first, 3 * (first === 0 ? 1000 : COUNT)];
      const masses = new Float64Array((to - from) / 3).fill(1);
      yield {
        first,
        count: masses.length,
        masses,
        positions: positions.subarray(from, to),
        velocities: velocities.subarray(from, to),
      };
    }
  }
  for (const a of stepEdges(FIRST, 1, steps, "a")) {
    await cone.advance(a, blocks(a), (one) =>
      found.push({ ...one, position: [...one.position], velocity: [...one.velocity] }),
    );
  }
  return { found, start, velocities };
}

const byPlace = (a: Crossing, b: Crossing) => a.id - b.id || b.a - a.a;

describe("free particles", () => {
  it("cross where their paths meet the cone, whatever the steps", async () => {
    const { found, start, velocities } = await crossings(3000, 40);
    let [inTime, inPlace, inVelocity] = [0, 0, 0];
    for (const { id, position, velocity, r, a } of found.filter((_, i) => i % 10 === 0)) {
      inTime = Math.max(inTime, Math.abs(r - clock.background.comovingDistance(a)));
      const drift = clock.drift(FIRST, a, FIRST);
      for (let axis = 0; axis < 3; axis++) {
        const i = 3 * id + axis;
        const images = (position[axis] + SETTINGS.observer[axis] - start[i] - velocities[i] * drift) / L;
        inPlace = Math.max(inPlace, Math.abs(images - Math.round(images)));
        inVelocity = Math.max(inVelocity, Math.abs(velocity[axis] - velocities[i] / a));
      }
    }
    expect(found.length).toBeGreaterThan(40_000);
    expect(inTime).toBeLessThan(1e-5);
    expect(inPlace).toBeLessThan(1e-7);
    expect(inVelocity).toBeLessThan(1e-2);
    const few = (await crossings(3000, 4)).found.sort(byPlace);
    expect(few.length).toBe(found.length);
    const pairs = found.sort(byPlace).map((one, i) => [one, few[i]] as const);
    expect(pairs.every(([one, other]) => one.id === other.id)).toBe(true);
    expect(pairs.every(([one, other]) => Math.abs(one.a - other.a) < 1e-6)).toBe(true);
  });

  it("of a uniform box are as many in a shell as its volume has, within Poisson's error", async () => {
    const { found } = await crossings(500, 10);
    for (const [near, far] of [
      [0, 100],
      [100, 180],
      [180, 220],
      [220, 260],
    ]) {
      const expected = ((COUNT / L ** 3) * 4 * Math.PI * (far ** 3 - near ** 3)) / 3;
      const counted = found.filter(({ r }) => r >= near && r < far).length;
      expect(Math.abs(counted - expected)).toBeLessThan(3 * Math.sqrt(expected));
    }
    expect(found.every(({ r }) => r <= SETTINGS.farthest)).toBe(true);
  });

  it.each([
    ["octant", OPENINGS.octant()],
    ["pencil", OPENINGS.pencil([0.6, 0, -0.8], 0.3)],
  ] as const)("in an opening are those of the whole sky: %s", async (_, opening) => {
    const sees = ({ position: [x, y, z], r }: Crossing) => opening.sees(x, y, z, r);
    const part = (await crossings(500, 10, { ...SETTINGS, opening })).found.filter(sees);
    const all = (await crossings(500, 10)).found.filter(sees);
    expect(part).toEqual(all);
    const expected = ((COUNT / L ** 3) * opening.area * SETTINGS.farthest ** 3) / 3;
    expect(Math.abs(part.length - expected)).toBeLessThan(3 * Math.sqrt(expected));
  });
});

it("the mean convergence of Einstein and de Sitter's universe is its closed form", () => {
  // χ = 2 (1 − √a) c/H0 and x = χ/2: ∫ (3/2) (1 + z) χ (χs − χ)/χs dχ = 6 ∫ (1 − x)⁻² x (xs − x)/xs · 2 dx.
  const kernel = new LensKernel(new Background({ h: 0.7, omegaM: 1, darkEnergy: 0 }), 1);
  const s = 1 - Math.SQRT1_2;
  const primitive = (x: number) => (s - 2) * Math.log(1 - x) - x + (s - 1) / (1 - x);
  expect(meanConvergence(kernel, 0)).toBeCloseTo((12 * (primitive(s) - primitive(0))) / s / 2, 8);
});

describe("a deck's light cone", () => {
  const scenario = (lightcone: object, time = {}) =>
    completeScenario({
      ...{
        title: "cone",
        units: { system: "cosmological" },
        box: { size: 100, boundary: "periodic" },
        mesh: { cells: 32 },
      },
      cosmology: { h: 0.7, omegaM: 0.3 },
      particles: [{ kind: "lattice", perSide: 16, seed: 1 }],
      time: { clock: "comoving", start: 0.1, end: 1, step: 0.1, ...time },
      lightcone,
    });

  it.each([
    [{ redshift: 10 }, "lightcone.redshift: expected at most 9, where the run starts, found 10"],
    [{ redshift: 8 }, "lightcone.redshift: expected a cone of at most 20000 times the volume of the box, found "],
    [
      { redshift: 0.5, redshifts: [0.1, 0.4] },
      "lightcone.redshifts: expected ascending edges, the last one lightcone.redshift = 0.5",
    ],
    [{ redshift: 0.5, sources: [0.4] }, "lightcone.nside: expected pixels for the maps of lightcone.sources, found 0"],
    [
      { redshift: 0.5, nside: 16, sources: [0.6] },
      "lightcone.sources: expected redshifts above 0 and up to lightcone.redshift = 0.5",
    ],
    [{ redshift: 0.5, nside: 100 }, "lightcone.nside: expected a power of two up to 4096, or 0, found 100"],
    [{ redshift: 0.5, particles: false }, "lightcone.particles: expected true without maps (nside = 0), found false"],
    [{ redshift: 0.5, opening: "pencil", direction: [0, 0, 0] }, "lightcone.direction: expected a direction"],
    [
      { redshift: 0.5, observer: [60, 0, 0] },
      "lightcone.observer: expected a place in the box, 50 from its middle at most",
    ],
  ])("%j: %s", (lightcone, message) => {
    expect(() => scenario(lightcone)).toThrow(message);
  });
});
