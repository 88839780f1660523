/** Where wgsl/diagnostics/harmonics.wgsl leaves its sums. */
import { POLES, WAVE_SUMS } from "../particles/harmonics.ts";
import type { Totals } from "../ranks/totals.ts";
import { binTotals, SCALES_AT, TOTALS_AT, TURN } from "./reduction-words.ts";

/** Mass, m v and m v² of a pixel, two words each. */
const PIXEL_WORDS = 6;
/** A term of size 1. */
const ONE = 2 ** 24;

export const HARMONIC_CONSTANTS = { WAVE_SUMS, POLE_SUMS: POLES.length, PIXEL_WORDS };

/** Of bins with number, mass and so many sums of terms up to 1. */
export class BinSums {
  constructor(
    private readonly words: Uint32Array,
    private readonly sums: number,
  ) {}

  static words(bins: number, sums: number): number {
    return TOTALS_AT + bins * (3 + 2 * sums);
  }

  static totals(bins: number, sums: number): Totals[] {
    return binTotals(bins, 3 + 2 * sums);
  }

  #at(bin: number): number {
    return TOTALS_AT + bin * (3 + 2 * this.sums);
  }

  particles(bin: number): number {
    return this.words[this.#at(bin)];
  }

  massUnits(bin: number): number {
    const at = this.#at(bin) + 1;
    return this.words[at] + TURN * this.words[at + 1];
  }

  /** Sum number k over m/m_heaviest × term. */
  sum(bin: number, k: number): number {
    return signed(this.words, this.#at(bin) + 3 + 2 * k) / ONE;
  }
}

/** Of a velocity map. */
export class PixelSums {
  readonly #scales: Float32Array;

  constructor(private readonly words: Uint32Array) {
    this.#scales = new Float32Array(words.buffer, 0, TOTALS_AT);
  }

  static words(pixels: number): number {
    return TOTALS_AT + PIXEL_WORDS * pixels;
  }

  static totals(pixels: number): Totals[] {
    return [{ at: TOTALS_AT, count: (PIXEL_WORDS / 2) * pixels, width: 2 }];
  }

  massUnits(pixel: number): number {
    const at = TOTALS_AT + PIXEL_WORDS * pixel;
    return this.words[at] + TURN * this.words[at + 1];
  }

  /** Over m/m_heaviest × vᵖ, p = 1 or 2. */
  moment(pixel: number, power: 1 | 2): number {
    const sum = signed(this.words, TOTALS_AT + PIXEL_WORDS * pixel + 2 * power);
    return sum / this.#scales[SCALES_AT + power - 1];
  }
}

/** A total of two words, two's complement. */
function signed(words: Uint32Array, at: number): number {
  return TURN * (words[at + 1] | 0) + words[at];
}
