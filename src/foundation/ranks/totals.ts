/** Totals of several 32-bit words from a GPU, summed over ranks: each word by itself, then the carries. */
import type { Ranks } from "./ranks.ts";

/** Runs of totals in an array of words. Word w of total k is at `at` + k·`each` + w·`stride`. */
export interface Totals {
  at: number;
  count: number;
  /** Words of a total, the lowest first; two's complement. */
  width: 1 | 2 | 3;
  /** From total to total: `width` unless given. */
  each?: number;
  /** From word to word of a total: 1 unless given. */
  stride?: number;
}

const WORD = 1n << 32n;

/** Replaces the totals by their sums over all ranks, modulo 2^(32·width). */
export async function sumTotals(ranks: Ranks, words: Uint32Array, totals: readonly Totals[]): Promise<void> {
  if (ranks.size === 1) return;
  const places = totals.map((one) => ({ ...one, each: one.each ?? one.width, stride: one.stride ?? 1 }));
  const length = places.reduce((sum, { count, width }) => sum + count * width, 0);
  const sums = new BigInt64Array(length);
  let next = 0;
  for (const { at, count, width, each, stride } of places)
    for (let k = 0; k < count; k++)
      for (let w = 0; w < width; w++) sums[next++] = BigInt(words[at + k * each + w * stride]);
  await ranks.sum(sums);
  next = 0;
  for (const { at, count, width, each, stride } of places)
    for (let k = 0; k < count; k++) {
      let carried = 0n;
      for (let w = 0; w < width; w++) {
        const sum = sums[next++] + carried;
        words[at + k * each + w * stride] = Number(sum % WORD);
        carried = sum / WORD;
      }
    }
}

/** Replaces `count` non-negative floats from word `at` on by the largest of all ranks: their bits order as they do. */
export async function largestOf(ranks: Ranks, words: Uint32Array, at: number, count: number): Promise<void> {
  if (ranks.size === 1) return;
  const largest = BigInt64Array.from({ length: count }, (_, i) => BigInt(words[at + i]));
  await ranks.largest(largest);
  for (let i = 0; i < count; i++) words[at + i] = Number(largest[i]);
}
