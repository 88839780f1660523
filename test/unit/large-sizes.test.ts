/** What the host works out for sizes that no adapter of the tests can hold. */
import { describe, expect, it } from "vitest";
import { slabs } from "../../src/engine/mesh/deposit/deposit-rows.ts";
import { meshLines } from "../../src/engine/mesh/fft/fft.ts";
import { modeBlocks } from "../../src/engine/mesh/fft/mode-blocks.ts";
import { fieldPitch } from "../../src/engine/mesh/field.ts";
import { meanWords } from "../../src/engine/mesh/poisson/poisson-periodic.ts";
import { workgroups } from "../../src/foundation/gpu/batch.ts";

/** The largest mesh below 2^31 cells, and the most particles whose [N, 3] words indices of 32 bits reach. */
const CELLS = 1024;
const PARTICLES = Math.floor(2 ** 32 / 3);
const WORDS = 2 ** 32;

describe("at 1024³ cells and 2^32/3 particles", () => {
  it("workgroups cover every invocation, at most 65535 along an axis, and flat indices don't wrap", () => {
    for (const count of [CELLS ** 3, 2 ** 31, PARTICLES, 65_535 * 64, 65_535 * 64 + 1, 2 ** 32 - 65_536])
      for (const size of [32, 64, 256]) {
        const [x, y] = workgroups(count, size);
        expect(Math.max(x, y)).toBeLessThanOrEqual(65_535);
        expect(x * y * size).toBeGreaterThanOrEqual(count);
        expect(x * y * size).toBeLessThanOrEqual(WORDS);
      }
  });

  it("blocks of modes stay in the cache of a GPU, but not for runs shorter than its lines", () => {
    const bytes = (n: number, period: number, cached: boolean) =>
      Math.max(...modeBlocks(n, period, 2 ** 32, cached).map(({ count }) => 8 * n * period * count));
    expect(bytes(512, 512, true)).toBeLessThanOrEqual(2 ** 25);
    expect(bytes(CELLS, 2 * CELLS, true)).toBe(16 * 8 * CELLS * 2 * CELLS);
    expect(bytes(512, 512, false)).toBe(8 * 512 * 512 * 257);
    expect(modeBlocks(128, 128, 2 ** 32, true)).toHaveLength(1);
  });

  it("lines of the transforms end where their meshes do", () => {
    for (const { count, lanes, source } of Object.values(meshLines(CELLS))) {
      const line = count - 1;
      const start = (source.start ?? 0) + (line % lanes) + Math.floor(line / lanes) * source.run;
      expect(start + (CELLS - 1) * source.stride).toBeLessThan(WORDS);
    }
    // The spectrum of an isolated mesh lies in the force, a block of its modes in the field.
    for (const n of [16, 24, 128, 512, CELLS]) {
      expect(8 * n * n * (n + 1)).toBeLessThanOrEqual(12 * n ** 3);
      const fieldBytes = 4 * n * n * fieldPitch(n);
      const blocks = modeBlocks(n, 2 * n, fieldBytes);
      expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(n + 1);
      expect(16 * n * n * blocks[0].count).toBeLessThanOrEqual(fieldBytes);
      expect(16 * n * n * (blocks[0].count + 1)).toBeGreaterThan(0.75 * fieldBytes); // which it uses
    }
  });

  it("partial sums of the deposit and the force have indices of 32 bits", () => {
    // Those of planes of pencils, half as many pencils as cells along y, whose particles span 3 or 4 rows on either axis.
    for (const span of [3, 4])
      for (const { planes } of slabs(CELLS, span))
        expect(((span ** 2 * CELLS) / 2) * CELLS * planes).toBeLessThanOrEqual(WORDS);
    expect(3 * CELLS ** 3).toBeLessThan(WORDS);
    expect(3 * PARTICLES).toBeLessThanOrEqual(WORDS);
  });

  it("the mean mass of a cell is exact in two words", () => {
    const [low, high] = meanWords(2 ** 31 * 2 ** 22, 16);
    expect(low + high * 2 ** 32).toBe(2 ** 41);
  });
});
