/** Where wgsl/diagnostics/diagnostics.wgsl leaves what it found, in 4-byte words of one buffer that is read back at once. */

/** Bits of the largest v², a², |φ| of the particles, |φ| external, distance² from the box centre. */
export const LARGEST_AT = 0;
/** Scales (bits of powers of two) of kinetic, potential, momentum, angular momentum, force, virial. */
const SCALES_AT = 8;
/** Centre of mass from the centre of the box, in boxes. */
const CENTRE_AT = 16;
/** Survey totals, 3 words each: mass units, ×3 mass·x, ×3 mass·image, number outside. */
const SURVEY_AT = 20;
const SURVEY_TOTALS = 12;
/** Totals of the sums, 3 words each. */
const SUMS_AT = SURVEY_AT + 3 * SURVEY_TOTALS;
const SUM_TOTALS = 12;

/** Bins of the mass over r²: one per value of the exponent and the 5 leading bits of the mantissa. */
export const BIN_SHIFT = 18;
const BINS_PER_OCTAVE = 2 ** (23 - BIN_SHIFT);
/** r² from 2^-30 to 2^20 boxes squared. */
const LOWEST_OCTAVE = -30;
const OCTAVES = 50;
export const FIRST_BIN = (127 + LOWEST_OCTAVE) * BINS_PER_OCTAVE;
export const BINS = OCTAVES * BINS_PER_OCTAVE;
/** Mass units by bin: BINS low words, then BINS high words. */
export const HISTOGRAM_AT = SUMS_AT + 3 * SUM_TOTALS;

export const WORDS = HISTOGRAM_AT + 2 * BINS;

export const LAYOUT_CONSTANTS = {
  SCALES_AT,
  CENTRE_AT,
  SURVEY_AT,
  SUMS_AT,
  BIN_SHIFT,
  FIRST_BIN,
  BINS,
  HISTOGRAM_AT,
};

/** The words as read back, with names. */
export class DiagnosticWords {
  readonly #words: Uint32Array;
  readonly #floats: Float32Array;

  constructor(data: ArrayBuffer) {
    this.#words = new Uint32Array(data);
    this.#floats = new Float32Array(data);
  }

  /** Largest value, squared where the GPU squares. */
  largest(which: "speed2" | "acceleration2"): number {
    return this.#floats[LARGEST_AT + (which === "speed2" ? 0 : 1)];
  }

  /** All the largest values are numbers. */
  get finite(): boolean {
    return this.#floats.subarray(LARGEST_AT, LARGEST_AT + 5).every(Number.isFinite);
  }

  survey(index: number): bigint {
    return this.#total(SURVEY_AT + 3 * index);
  }

  /** A sum over m/m_heaviest × quantity, its scale taken out. */
  sum(index: number, scale: number): number {
    return Number(this.#total(SUMS_AT + 3 * index)) / this.#floats[SCALES_AT + scale];
  }

  /** [BINS] mass units by distance from the centre of mass. */
  histogram(): Float64Array {
    const low = this.#words.subarray(HISTOGRAM_AT, HISTOGRAM_AT + BINS);
    const high = this.#words.subarray(HISTOGRAM_AT + BINS, HISTOGRAM_AT + 2 * BINS);
    return Float64Array.from(low, (word, i) => high[i] * 2 ** 32 + word);
  }

  /** A 96-bit two's complement total. */
  #total(at: number): bigint {
    const [low, middle, high] = this.#words.subarray(at, at + 3);
    return BigInt.asIntN(96, (BigInt(high) << 64n) | (BigInt(middle) << 32n) | BigInt(low));
  }
}
