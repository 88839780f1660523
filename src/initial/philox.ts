/**
 * Counter-based random numbers, Philox4x32-10: a bijection of a 128-bit counter under a 64-bit key, ten rounds of
 *   (c0, c1, c2, c3) ← (hi(M1·c2) ⊕ c1 ⊕ k0, lo(M1·c2), hi(M0·c0) ⊕ c3 ⊕ k1, lo(M0·c0)),  k ← k + W.
 * The counter is (particle, block, stream, 0) and the key is the seed, so particle i depends neither on how many
 * particles there are nor on who asked before it.
 * Source: Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", SC11, section 4.3.
 *
 * The integers and uniform() are the same on every platform. normal() and the models use Math.log, Math.sin and
 * Math.cos, which engines may round differently in the last bit: particles then agree to about 1e-16, not bit by bit.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** 2^-53: the spacing of the uniform doubles. */
const UNIT_53 = 1 / 9007199254740992;
const TWO_26 = 67108864;
const TWO_32 = 4294967296;

/** Upper 32 bits of the product of two unsigned 32-bit integers (as an int32 bit pattern). */
function highProduct(a: number, b: number): number {
  const aHigh = a >>> 16;
  const aLow = a & 0xffff;
  const bHigh = b >>> 16;
  const bLow = b & 0xffff;
  const highLow = Math.imul(aHigh, bLow);
  const lowHigh = Math.imul(aLow, bHigh);
  const carry = (Math.imul(aLow, bLow) >>> 16) + (highLow & 0xffff) + (lowHigh & 0xffff);
  return (Math.imul(aHigh, bHigh) + (highLow >>> 16) + (lowHigh >>> 16) + (carry >>> 16)) | 0;
}

/** One block of Philox4x32-10: replaces a counter of four unsigned 32-bit integers by as many random ones. */
export function philox4x32(words: Uint32Array, k0: number, k1: number): void {
  let [c0, c1, c2, c3] = [words[0] | 0, words[1] | 0, words[2] | 0, words[3] | 0];
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = highProduct(c0, MULTIPLIER_0);
    const low0 = Math.imul(c0, MULTIPLIER_0);
    const high1 = highProduct(c2, MULTIPLIER_1);
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

/** The random numbers of one component: `seek` a particle, then draw as many numbers as it needs. */
export class ParticleRandom {
  private readonly key0: number;
  private readonly key1: number;
  private readonly words = new Uint32Array(4);
  private particle = 0;
  private block = 0;
  /** Words of the current block already used; 4 means that a new block is due. */
  private used = 4;
  private spare = 0;
  private hasSpare = false;

  /** `seed`: a non-negative integer below 2^53. `stream` tells components with the same seed apart. */
  constructor(
    seed: number,
    private readonly stream = 0,
  ) {
    this.key0 = (seed % TWO_32) | 0;
    this.key1 = Math.floor(seed / TWO_32) | 0;
  }

  /** Starts the sequence of particle `index` [0, 2^32). */
  seek(index: number): void {
    this.particle = index | 0;
    this.block = 0;
    this.used = 4;
    this.hasSpare = false;
  }

  /** The particle that seek() went to. */
  get index(): number {
    return this.particle >>> 0;
  }

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    if (this.used === 4) {
      this.words[0] = this.particle;
      this.words[1] = this.block++;
      this.words[2] = this.stream;
      this.words[3] = 0;
      philox4x32(this.words, this.key0, this.key1);
      this.used = 0;
    }
    const high = this.words[this.used] >>> 5;
    const low = this.words[this.used + 1] >>> 6;
    this.used += 2;
    return (high * TWO_26 + low) * UNIT_53;
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
