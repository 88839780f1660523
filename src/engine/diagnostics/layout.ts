/** Where wgsl/engine/diagnostics/diagnostics.wgsl leaves what it found, in 4-byte words of one buffer that is read back at once. */

import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { Ranks } from "../../foundation/ranks/ranks.ts";
import { largestOf, sumTotals } from "../../foundation/ranks/totals.ts";
import { type GpuTerm, SUM_TERMS } from "../../physics/particles/sum-terms.ts";

/** Where each of several totals begins, in totals: the components of a vector follow each other. */
function placed<N extends string>(components: Record<N, 1 | 3>): Record<N, number> {
  let next = 0;
  const places = {} as Record<N, number>;
  for (const [name, count] of Object.entries(components) as [N, number][]) {
    places[name] = next;
    next += count;
  }
  return places;
}

/** Exact totals over the particles: mass units, mass·x within the box, mass·(boxes beside it), number outside the mesh. */
const SURVEY = placed({ mass: 1, within: 3, boxes: 3, outside: 1 });
const SURVEY_TOTALS = 8;
/** Sums over m/m_heaviest × quantity: those of sum-terms.ts, and what the virial about the centre of mass is made of. */
const TERMS = {
  ...SUM_TERMS,
  force: { components: 3, wgsl: "p.a", bound: "acceleration" },
  /** About the centre of the box. */
  virial: { components: 1, wgsl: "dot(p.a, p.d)", bound: "acceleration * distance" },
} as const satisfies Record<string, GpuTerm>;
type TermName = keyof typeof TERMS;
const TERM_NAMES = Object.keys(TERMS) as TermName[];
const of = <V>(value: (name: TermName) => V) =>
  Object.fromEntries(TERM_NAMES.map((name) => [name, value(name)])) as Record<TermName, V>;
const SUMS = placed(of((name) => TERMS[name].components));
/** Every sum has a scale. */
const SCALES = placed(of(() => 1 as const));

/** Bits of the largest v², a², |φ| of the particles, |φ| external, distance² from the box centre. */
const LARGEST_AT = 0;
const LARGEST_VALUES = 5;
/** What a look at the largest values alone reads. */
export const LARGEST_WORDS = 8;
/** Scales, bits of powers of two. */
const SCALES_AT = 8;
/** Centre of mass from the centre of the box, in boxes. */
const CENTRE_AT = SCALES_AT + TERM_NAMES.length;
/** Totals that a kernel adds to, 3 words each, of the survey and of the sums: as many as the more of both. */
const SUM_TOTALS = TERM_NAMES.reduce((sum, name) => sum + TERMS[name].components, 0);
const QUANTITIES = Math.max(SURVEY_TOTALS, SUM_TOTALS);
const SURVEY_AT = CENTRE_AT + 3;
const SUMS_AT = SURVEY_AT + 3 * QUANTITIES;

/** Bins of the mass over r²: one per value of the exponent and the 5 leading bits of the mantissa. */
export const BIN_SHIFT = 18;
const BINS_PER_OCTAVE = 2 ** (23 - BIN_SHIFT);
/** r² from 2^-30 to 2^20 boxes squared. */
const LOWEST_OCTAVE = -30;
const OCTAVES = 50;
export const FIRST_BIN = (127 + LOWEST_OCTAVE) * BINS_PER_OCTAVE;
const BINS = OCTAVES * BINS_PER_OCTAVE;
/** Mass units by bin: BINS low words, then BINS high words. */
const HISTOGRAM_AT = SUMS_AT + 3 * QUANTITIES;

export const WORDS = HISTOGRAM_AT + 2 * BINS;

/** Places by name for the kernel: SURVEY_MASS, … */
function named(prefix: string, places: Record<string, number>): Record<string, number> {
  const upper = (name: string) => name.replace(/[A-Z]/g, "_$&").toUpperCase();
  return Object.fromEntries(Object.entries(places).map(([name, at]) => [`${prefix}_${upper(name)}`, at]));
}

export const LAYOUT_CONSTANTS = {
  ...named("SURVEY", SURVEY),
  ...{ QUANTITIES: `${QUANTITIES}u`, SUM_TOTALS, SCALES: TERM_NAMES.length },
  SCALES_AT,
  CENTRE_AT,
  SURVEY_AT,
  SUMS_AT,
  BIN_SHIFT,
  FIRST_BIN,
  BINS,
  HISTOGRAM_AT,
};

/** The terms in WGSL, component by component, with their bounds and the number of the scale of each. */
export const TERMS_WGSL: WgslSource = {
  path: "src/engine/diagnostics/layout.ts",
  text: `
struct Summed {
  d: vec3f, // from the centre of the box
  v: vec3f,
  a: vec3f,
  potential: f32,
}

fn termsOf(p: Summed) -> array<f32, SUM_TOTALS> {
  return array<f32, SUM_TOTALS>(${each(({ components, wgsl }) => (components === 1 ? [wgsl] : ["x", "y", "z"].map((axis) => `(${wgsl}).${axis}`)))});
}

fn boundsOf(speed: f32, acceleration: f32, potential: f32, distance: f32) -> array<f32, SCALES> {
  return array<f32, SCALES>(${each(({ bound }) => [bound])});
}

const SCALE_OF = array<u32, SUM_TOTALS>(${each(({ components }, scale) => Array(components).fill(`${scale}u`))});
`,
};

function each(words: (term: GpuTerm, index: number) => string[]): string {
  return TERM_NAMES.flatMap((name, index) => words(TERMS[name], index)).join(", ");
}

/** A 96-bit two's complement total, low word first. */
export function wideTotal(words: Uint32Array, at: number): bigint {
  const [low, middle, high] = words.subarray(at, at + 3);
  return BigInt.asIntN(96, (BigInt(high) << 64n) | (BigInt(middle) << 32n) | BigInt(low));
}

/** Positive terms that were added as integers below the greatest of them (lib/integer-scale.wgsl): its bits, two words. */
export function greatestSum(words: Uint32Array, at: number): number {
  const [greatest, low, high] = words.subarray(at, at + 3);
  const exponent = Math.max(greatest >>> 23, 29) - 127;
  return (high * 2 ** 32 + low) * 2 ** (exponent - 29);
}

/** The words as read back, with names. */
export class DiagnosticWords {
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #floats: Float32Array;

  constructor(readonly data: ArrayBuffer) {
    this.#words = new Uint32Array(data);
    this.#floats = new Float32Array(data);
  }

  /** The largest values and the totals of the survey, of all ranks. */
  async surveyed(ranks: Ranks): Promise<void> {
    await largestOf(ranks, this.#words, LARGEST_AT, LARGEST_VALUES);
    await sumTotals(ranks, this.#words, [{ at: SURVEY_AT, count: QUANTITIES, width: 3 }]);
  }

  /** The totals of the sums and the histogram, of all ranks; those of the survey are by now. */
  async summed(ranks: Ranks): Promise<void> {
    await sumTotals(ranks, this.#words, [
      { at: SUMS_AT, count: SUM_TOTALS, width: 3 },
      { at: HISTOGRAM_AT, count: BINS, width: 2, each: 1, stride: BINS },
    ]);
  }

  /** Largest value, squared where the GPU squares. */
  largest(which: "speed2" | "acceleration2"): number {
    return this.#floats[LARGEST_AT + (which === "speed2" ? 0 : 1)];
  }

  /** All the largest values are numbers. */
  get finite(): boolean {
    return this.#floats.subarray(LARGEST_AT, LARGEST_AT + LARGEST_VALUES).every(Number.isFinite);
  }

  survey(name: keyof typeof SURVEY, axis = 0): bigint {
    return wideTotal(this.#words, SURVEY_AT + 3 * (SURVEY[name] + axis));
  }

  /** A sum over m/m_heaviest × quantity, its scale taken out. */
  sum(name: keyof typeof SUMS, axis = 0): number {
    const total = wideTotal(this.#words, SUMS_AT + 3 * (SUMS[name] + axis));
    return Number(total) / this.#floats[SCALES_AT + SCALES[name]];
  }

  /** [BINS] mass units by distance from the centre of mass. */
  histogram(): Float64Array {
    const low = this.#words.subarray(HISTOGRAM_AT, HISTOGRAM_AT + BINS);
    const high = this.#words.subarray(HISTOGRAM_AT + BINS, HISTOGRAM_AT + 2 * BINS);
    return Float64Array.from(low, (word, i) => high[i] * 2 ** 32 + word);
  }
}
