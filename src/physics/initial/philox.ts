/**
 * Counter-based random numbers, Philox4x32-10: a bijection of a 128-bit counter under a 64-bit key, ten rounds of
 *   (c0, c1, c2, c3) ← (hi(M1·c2) ⊕ c1 ⊕ k0, lo(M1·c2), hi(M0·c0) ⊕ c3 ⊕ k1, lo(M0·c0)),  k ← k + W.
 * The counter is (particle, block, stream, 0) and the key is the seed, so particle i depends neither on how many
 * particles there are nor on who asked before it. Integers and uniform() are the same on every platform; Math.log, sin
 * and cos of normal() and the models may differ in the last bit (1e-16) between engines. Source: Salmon, Moraes, Dror &
 * Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", SC11, section 4.3.
 */

import { BATCH, MOST_BLOCKS, MULTIPLIERS, philoxBatch, ROUNDS, UNIT_53, WEYL } from "./philox-batch.ts";

const [MULTIPLIER_0, MULTIPLIER_1] = MULTIPLIERS;
const [WEYL_0, WEYL_1] = WEYL;
const TWO_26 = 67108864;
const TWO_32 = 4294967296;

/** Upper 32 bits of a · b as an int32 bit pattern; b in halves of 16 bits. */
function highProduct(a: number, bHigh: number, bLow: number): number {
  const aHigh = a >>> 16;
  const aLow = a & 0xffff;
  const highLow = Math.imul(aHigh, bLow);
  const lowHigh = Math.imul(aLow, bHigh);
  const carry = (Math.imul(aLow, bLow) >>> 16) + (highLow & 0xffff) + (lowHigh & 0xffff);
  return (Math.imul(aHigh, bHigh) + (highLow >>> 16) + (lowHigh >>> 16) + (carry >>> 16)) | 0;
}

/** One block of Philox4x32-10: replaces a counter of four unsigned 32-bit integers by as many random ones. */
export function philox4x32(words: Uint32Array, k0: number, k1: number): void {
  let c0 = words[0] | 0;
  let c1 = words[1] | 0;
  let c2 = words[2] | 0;
  let c3 = words[3] | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = highProduct(c0, MULTIPLIER_0 >>> 16, MULTIPLIER_0 & 0xffff);
    const low0 = Math.imul(c0, MULTIPLIER_0);
    const high1 = highProduct(c2, MULTIPLIER_1 >>> 16, MULTIPLIER_1 & 0xffff);
    const low1 = Math.imul(c2, MULTIPLIER_1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

/** Particles that are asked for one after the other, before a batch is made of the next. */
const IN_A_ROW = 4;

/** A component's random numbers: `seek` a particle, then draw. For ids in order blocks are made a batch at a time. */
export class ParticleRandom {
  private readonly key0: number;
  private readonly key1: number;
  private readonly words = new Uint32Array(4);
  private particle = 0;
  private inARow = 0;
  /** Uniforms that the particle has used. */
  private drawn = 0;
  /** The second uniform of the block that was made last. */
  private second = 0;
  private spare = 0;
  private hasSpare = false;
  private readonly batch: ReturnType<typeof philoxBatch>;
  /** First particle of the batch, blocks of each that were made, and the place in it of the particle; negative outside. */
  private batchFirst = 0;
  private batchBlocks = 0;
  private place = -1;

  /** `seed`: a non-negative integer below 2^53. `stream` tells components with the same seed apart. */
  constructor(
    seed: number,
    private readonly stream = 0,
    { batches = true } = {},
  ) {
    this.key0 = (seed % TWO_32) | 0;
    this.key1 = Math.floor(seed / TWO_32) | 0;
    this.batch = batches ? philoxBatch() : undefined;
  }

  /** Starts the sequence of particle `index` [0, 2^32). */
  seek(index: number): void {
    const particle = index | 0;
    this.inARow = particle === this.particle + 1 ? this.inARow + 1 : 0;
    this.particle = particle;
    this.drawn = 0;
    this.hasSpare = false;
    if (!this.batch) return;
    this.place = (particle - this.batchFirst) | 0;
    if (this.place >= 0 && this.place < BATCH) return;
    this.place = this.inARow < IN_A_ROW ? -1 : 0;
    if (this.place === 0) [this.batchFirst, this.batchBlocks] = [particle, 0];
  }

  /** The particle that seek() went to. */
  get index(): number {
    return this.particle >>> 0;
  }

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    const number = this.drawn++;
    const block = number >> 1;
    if (this.place >= 0 && block < MOST_BLOCKS) {
      const batch = this.batch!;
      if (block === this.batchBlocks) {
        batch.run(this.batchFirst, this.batchBlocks++, this.stream, this.key0, this.key1);
      }
      return batch.uniforms[2 * (block * BATCH + this.place) + (number & 1)];
    }
    if ((number & 1) === 1) return this.second;
    const { words } = this;
    words[0] = this.particle;
    words[1] = block;
    words[2] = this.stream;
    words[3] = 0;
    philox4x32(words, this.key0, this.key1);
    this.second = ((words[2] >>> 5) * TWO_26 + (words[3] >>> 6)) * UNIT_53;
    return ((words[0] >>> 5) * TWO_26 + (words[1] >>> 6)) * UNIT_53;
  }

  /** Normal deviate of mean 0 and variance 1 (Box & Muller 1958). */
  normal(): number {
    if (this.hasSpare) {
      this.hasSpare = false;
      return this.spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    this.hasSpare = true;
    return radius * Math.cos(angle);
  }
}
