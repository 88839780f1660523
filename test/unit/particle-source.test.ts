/** Particles in blocks: masses in little room, fixed point block by block, and arrays where somebody wants them. */
import { describe, expect, it } from "vitest";
import { ExactBlocks, integerMasses } from "../../src/engine/gpu-particles/upload.ts";
import { MASS_UNITS, packImage, toFixedPoint } from "../../src/physics/particles/fixed-point.ts";
import { ParticleMasses } from "../../src/physics/particles/masses.ts";
import { collected, restingParticles, sourceOf } from "../../src/physics/particles/source.ts";
import { placeholders, randomWords } from "../support/exact-particles.ts";

const BOX = 12.5;
const COMPONENTS = [
  { name: "a", species: "stars", first: 0, count: 600 },
  { name: "b", species: "halo", first: 600, count: 401 },
] as const;

/** Two components, one of equal masses and one of others, on both sides of the box. */
function set() {
  const word = randomWords(3);
  const particles = { ...placeholders(1001), components: [...COMPONENTS] };
  particles.positions.forEach((_, k) => {
    particles.positions[k] = BOX * (5 * (word() / 2 ** 32) - 2);
    particles.velocities[k] = word() / 2 ** 31 - 1;
  });
  // Halves of a unit, and what is nearest to one.
  for (let k = 0; k < 300; k++)
    particles.positions[k] = (BOX * ((word() % 1000) + (k % 2 ? 0.5 : 0.49999999999))) / 2 ** 32;
  particles.masses.forEach((_, id) => {
    particles.masses[id] = id < 600 ? 0.5 : 1 + word() / 2 ** 32;
  });
  return particles;
}

describe("particle masses", () => {
  it("are one number for a component of equal ones, and the same array otherwise", () => {
    const { masses } = set();
    const compact = ParticleMasses.of(masses, COMPONENTS);
    expect(compact.runs.map(({ mass }) => typeof mass)).toEqual(["number", "object"]);
    expect((compact.runs[1].mass as Float64Array).buffer).toBe(masses.buffer);
    expect(compact.toArray()).toEqual(masses);
    expect(compact.total).toBe(masses.reduce((sum, mass) => sum + mass, 0));
    expect(compact.heaviest).toBe(Math.max(...masses));
    const some = new Float64Array(37);
    compact.fill(some, 581);
    expect(some).toEqual(masses.slice(581, 618));
    const every = compact.every(7, { first: 80, count: 20 });
    expect(every).toEqual(Float64Array.from({ length: 20 }, (_, i) => masses[7 * (80 + i)]));
  });

  it("are told by component where each has one, also where runs and components differ", () => {
    const equal = new ParticleMasses([
      { first: 0, count: 300, mass: 2 },
      { first: 300, count: 700, mass: new Float64Array(700).fill(2) },
    ]);
    const whole = [{ first: 0, count: 1000 }];
    expect(equal.byComponent(whole)).toEqual([2]);
    const { masses } = set();
    expect(ParticleMasses.of(masses, COMPONENTS).byComponent(COMPONENTS)).toEqual(masses);
    expect(() => new ParticleMasses([{ first: 1, count: 2, mass: 1 }])).toThrow(RangeError);
  });

  it("become integers of the heaviest, from any id on", () => {
    const { masses } = set();
    const heaviest = Math.max(...masses);
    const units = masses.map((mass) => Math.round((mass / heaviest) * MASS_UNITS));
    const integers = integerMasses(ParticleMasses.of(masses, COMPONENTS));
    expect(integers).toMatchObject({ heaviest, equal: false, total: BigInt(units.reduce((a, b) => a + b)) });
    const some = new Uint32Array(100);
    integers.fill(some, 550);
    expect([...some]).toEqual([...units.slice(550, 650)]);
    expect(integerMasses(new ParticleMasses([{ first: 0, count: 7, mass: 3 }]))).toMatchObject({ equal: true });
  });
});

describe("a source of particles", () => {
  it.each([100, 1001, 2 ** 20])("gives back the arrays that it was made from, in blocks of %i", async (block) => {
    const given = set();
    const source = sourceOf(given, block);
    expect(await collected(source)).toBe(given);
    expect(await collected({ ...source, set: undefined })).toEqual(given);
  });

  it("holds particles at rest without an array of all", async () => {
    const masses = new ParticleMasses([{ first: 0, count: 1000, mass: 1 }]);
    const resting = await collected(restingParticles({ components: [], masses }, 3, 64));
    expect(resting).toMatchObject({ count: 1000, positions: new Float64Array(3000).fill(3) });
  });

  it("is made exact block by block as particle by particle", async () => {
    const given = set();
    const exact = new ExactBlocks(BOX, "isolated");
    let buffer: ArrayBuffer | undefined;
    for await (const block of sourceOf(given, 250).blocks()) {
      const { first, count, positions, velocities, images } = exact.of(block);
      buffer ??= positions.buffer;
      expect(positions.buffer).toBe(buffer); // one array for all blocks
      expect(velocities).toEqual(given.velocities.slice(3 * first, 3 * (first + count)));
      for (let i = 0; i < count; i++) {
        const axes = [0, 1, 2].map((axis) => toFixedPoint(given.positions[3 * (first + i) + axis], BOX));
        expect([...positions.subarray(3 * i, 3 * i + 3)]).toEqual(axes.map(({ u }) => u));
        expect(images![i]).toBe(packImage(axes[0].image, axes[1].image, axes[2].image));
      }
    }
  });
});
