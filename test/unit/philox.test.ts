/** Philox4x32-10 against the known answers of Random123 1.09 (kat_vectors), and the streams built on it. */
import { describe, expect, it } from "vitest";
import { ParticleRandom, philox4x32 } from "../../src/physics/initial/philox.ts";
import { philoxBatch } from "../../src/physics/initial/philox-batch.ts";
import { randomWords } from "../support/exact-particles.ts";

/** Counter, key, expected output. */
const KNOWN_ANSWERS: [number[], number[], number[]][] = [
  [
    [0, 0, 0, 0],
    [0, 0],
    [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
  ],
  [
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
];

describe("philox4x32", () => {
  it.each(KNOWN_ANSWERS)("gives the published output for counter %j, key %j", (counter, key, expected) => {
    const out = Uint32Array.from(counter);
    philox4x32(out, key[0], key[1]);
    expect([...out]).toEqual(expected);
  });
});

describe("ParticleRandom", () => {
  const draws = (random: ParticleRandom, particle: number, count: number) => {
    random.seek(particle);
    return Array.from({ length: count }, () => random.uniform());
  };

  it("uses the seed as the key and (particle, block, stream) as the counter", () => {
    const out = Uint32Array.of(7, 0, 3, 0);
    philox4x32(out, 5, 2);
    const expected = ((out[0] >>> 5) * 2 ** 26 + (out[1] >>> 6)) / 2 ** 53;
    expect(draws(new ParticleRandom(5 + 2 * 2 ** 32, 3), 7, 1)[0]).toBe(expected);
  });

  it("gives a particle the same numbers whatever was drawn before", () => {
    const random = new ParticleRandom(42);
    const first = draws(random, 12345, 9);
    draws(random, 1, 100);
    random.normal();
    expect(draws(random, 12345, 9)).toEqual(first);
    expect(draws(new ParticleRandom(42), 12345, 9)).toEqual(first);
  });

  it("gives the same numbers in batches as one by one, in whatever order and number they are asked for", () => {
    const batched = new ParticleRandom(2 ** 40 + 5, 3);
    const single = new ParticleRandom(2 ** 40 + 5, 3, { batches: false });
    const word = randomWords(2);
    let particle = 2 ** 32 - 700; // past 2^31, where ids turn negative as int32
    for (let k = 0; k < 1000; k++) {
      // Mostly the next one, now and then another, the same again or one before.
      const way = word() % 50;
      particle = way === 0 ? word() : way === 1 ? particle : way === 2 ? (particle - 3) >>> 0 : (particle + 1) >>> 0;
      const count = 1 + (word() % (k % 100 < 50 ? 4 : 30));
      expect(draws(batched, particle, count), `particle ${particle}`).toEqual(draws(single, particle, count));
      expect(batched.normal()).toBe(single.normal());
    }
    expect(philoxBatch()).toBeDefined();
  });

  it("tells particles, seeds and streams apart", () => {
    const sequences = [
      draws(new ParticleRandom(1, 0), 0, 4),
      draws(new ParticleRandom(1, 0), 1, 4),
      draws(new ParticleRandom(1, 1), 0, 4),
      draws(new ParticleRandom(2, 0), 0, 4),
      draws(new ParticleRandom(1 + 2 ** 32, 0), 0, 4),
    ];
    expect(new Set(sequences.flat()).size).toBe(20);
  });

  it("is uniform on [0, 1) and normal to sampling error", () => {
    const random = new ParticleRandom(9);
    const count = 200_000;
    const bins = new Array(20).fill(0);
    const moments = [0, 0, 0, 0];
    let [least, most] = [1, 0];
    for (let i = 0; i < count; i++) {
      random.seek(i);
      const u = random.uniform();
      [least, most] = [Math.min(least, u), Math.max(most, u)];
      bins[Math.floor(20 * u)]++;
      const x = random.normal();
      for (let power = 1; power <= 4; power++) moments[power - 1] += x ** power / count;
    }
    expect(least).toBeGreaterThanOrEqual(0);
    expect(most).toBeLessThan(1);
    const chiSquared = bins.reduce((sum, found) => sum + (found - count / 20) ** 2 / (count / 20), 0);
    expect(chiSquared).toBeLessThan(43.8); // 19 degrees of freedom, 0.1 %
    // Standard errors of the moments: √(1, 2, 15, 96)/√N.
    expect(Math.abs(moments[0])).toBeLessThan(4 * Math.sqrt(1 / count));
    expect(Math.abs(moments[1] - 1)).toBeLessThan(4 * Math.sqrt(2 / count));
    expect(Math.abs(moments[2])).toBeLessThan(4 * Math.sqrt(15 / count));
    expect(Math.abs(moments[3] - 3)).toBeLessThan(4 * Math.sqrt(96 / count));
  });
});
