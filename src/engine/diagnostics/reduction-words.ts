/** Where wgsl/engine/diagnostics/reductions.wgsl leaves what it found, and the words of its uniform. */

import { type BufferPool, f32, type UniformWord, u32 } from "../../foundation/gpu/buffers.ts";
import type { Totals } from "../../foundation/ranks/totals.ts";
import { packImage, toFixedPoint } from "../../physics/particles/fixed-point.ts";
import { axesAbout } from "../../physics/particles/harmonics.ts";
import type { PixelAxis } from "../../physics/particles/map-grid.ts";
import type { IdRange, Radial, Vector } from "../../physics/particles/reductions.ts";
import { wideTotal } from "./layout.ts";

/** Ranges of ids that a dispatch tells apart; more take several. */
export const RANGES_PER_DISPATCH = 32;
/** Scales of |v|, v² and R|a|, float32. */
export const SCALES_AT = 2;
export const TOTALS_AT = 8;
/** Mass, m v and m v² of a pixel, two words each. */
const PIXEL_WORDS = 6;
/** Bits of r² that the first look leaves to the second. */
const RANK_SHIFT = 12;
const RANKS_PER_OCTAVE = 2 ** (23 - RANK_SHIFT);
/** r² from 2^-40 to 2^20 boxes squared. */
const LOWEST_RANK = (127 - 40) * RANKS_PER_OCTAVE;
const RANKS = 60 * RANKS_PER_OCTAVE;

export const REDUCTION_CONSTANTS = {
  ...{ MOST_RANGES: RANGES_PER_DISPATCH, SCALES_AT, TOTALS_AT, PIXEL_WORDS, RANK_SHIFT, LOWEST_RANK, RANKS },
  ...{ LARGEST_SPEED2: 0, LARGEST_ACCELERATION2: 1 },
};

/** A dispatch's request beside ranges; what an entry doesn't use may be left out. */
export interface RequestWords {
  boxSize: number;
  about?: Radial;
  /** [velocity] */
  velocity?: Vector;
  /** Radius of the sphere [length]; everything is meant without. */
  radius?: number;
  /** Axes of a map, right and up. */
  axes?: readonly [PixelAxis, PixelAxis];
  /** Edges of shells and rings [length]. */
  edges?: readonly number[];
  /** Leading bits whose bin is to be looked at closely. */
  chosen?: number;
  /** The axis of rings and shells; z without. */
  normal?: Vector | undefined;
  /** Height of rings on either side of their plane [length]. */
  height?: number;
  /** Axis along which a map looks. */
  depth?: number;
}

const TURN = 2 ** 32;
const EVERYWHERE = 3e38;

/** WGSL struct Request. */
export function requestUniform(pool: BufferPool, request: RequestWords, ranges: readonly IdRange[]): GPUBuffer {
  const { boxSize, about, velocity, radius, axes, edges, chosen, height, depth } = request;
  const centre = (about?.centre ?? [0, 0, 0]).map((x) => toFixedPoint(x, boxSize));
  const [x, y, z] = centre.map(({ image }) => image);
  const table = axes ? [0, axes[0].last.length] : [0, 0];
  const side = (which: 0 | 1): UniformWord[] => {
    if (!axes) return u32(...new Array<number>(8).fill(0));
    const { axis, start, last, perUnit } = axes[which];
    const box = Math.floor(start / TURN);
    return [...u32(axis, start - TURN * box, box, last.length, table[which]), ...f32(perUnit), ...u32(0, 0)];
  };
  const words = [
    ...u32(...centre.map(({ u }) => u), packImage(x, y, z)),
    ...f32(...(velocity ?? [0, 0, 0]), radius === undefined ? EVERYWHERE : (radius / boxSize) ** 2),
    ...side(0),
    ...side(1),
    ...f32(boxSize, edges?.at(-1) ?? 0),
    ...u32(
      about?.flat ? 1 : 0,
      edges?.length ?? 0,
      chosen === undefined ? 0 : 1,
      chosen ?? 0,
      ranges.length,
      depth ?? 0,
    ),
  ];
  const [across, along, up] = axesAbout(request.normal);
  words.push(...f32(...across, 0, ...along, 0, ...up, (height ?? 0) / boxSize));
  for (let i = 0; i < RANGES_PER_DISPATCH; i++) {
    const { first, count } = ranges[i] ?? { first: 0, count: 0 };
    words.push(...u32(first, first + count, 0, 0));
  }
  return pool.uniform("reduction", words);
}

/** What is read back of the sums over particles in a sphere. */
export class SphereWords {
  constructor(private readonly words: Uint32Array) {}

  static readonly count = TOTALS_AT + 24;
  static readonly totals: readonly Totals[] = [{ at: TOTALS_AT, count: 8, width: 3 }];

  /** Scale of the sums of velocities. */
  get scale(): number {
    return new Float32Array(this.words.buffer)[SCALES_AT];
  }

  total(which: number): bigint {
    return wideTotal(this.words, TOTALS_AT + 3 * which);
  }
}

/** What is read back of each bin: a number or none, the mass, and how many sums. */
export interface BinKind {
  numbers: 0 | 1;
  sums: number;
  /** Which of the scales a sum has. */
  scaleOf(sum: number): number;
}

const wordsOf = ({ numbers, sums }: BinKind) => numbers + 2 + 2 * sums;

/** What is read back of bins, one after the other (wgsl/engine/diagnostics/bins.wgsl), or of the pixels of a velocity map. */
export class BinSums {
  readonly #scales: Float32Array;

  constructor(
    private readonly words: Uint32Array,
    private readonly kind: BinKind,
  ) {
    this.#scales = new Float32Array(words.buffer, 0, TOTALS_AT);
  }

  static words(bins: number, kind: BinKind): number {
    return TOTALS_AT + bins * wordsOf(kind);
  }

  static totals(bins: number, kind: BinKind): Totals[] {
    const of = { count: bins, each: wordsOf(kind) };
    const wide = (_: unknown, k: number): Totals => ({ at: TOTALS_AT + kind.numbers + 2 * k, width: 2, ...of });
    const number: Totals[] = kind.numbers > 0 ? [{ at: TOTALS_AT, width: 1, ...of }] : [];
    return [...number, ...Array.from({ length: 1 + kind.sums }, wide)];
  }

  #massAt(bin: number): number {
    return TOTALS_AT + bin * wordsOf(this.kind) + this.kind.numbers;
  }

  particles(bin: number): number {
    return this.words[this.#massAt(bin) - 1];
  }

  massUnits(bin: number): number {
    return signed(this.words, this.#massAt(bin));
  }

  /** Sum number k over m/m_heaviest × term. */
  sum(bin: number, k: number): number {
    return signed(this.words, this.#massAt(bin) + 2 + 2 * k) / this.#scales[SCALES_AT + this.kind.scaleOf(k)];
  }
}

/** A total of two words, two's complement. */
function signed(words: Uint32Array, at: number): number {
  return TURN * (words[at + 1] | 0) + words[at];
}

/** Bins of the ranks. */
export const RANK_WORDS = Math.max(RANKS, 2 ** RANK_SHIFT);

/** Squared radius [boxes²] of the bits of a leading bin and of those that follow. */
export function squareOfRank(leading: number, rest: number): number {
  if (leading === 0) return 0; // nearer than 1e-6 boxes
  const bits = Uint32Array.of((LOWEST_RANK + leading) * 2 ** RANK_SHIFT + rest);
  return new Float32Array(bits.buffer)[0];
}
