/**
 * Particles on their way from one file into another: types in turn, rows of a type in the order of the source, numbers as
 * the source has them. Columns are read as often as a format wants them, a slab at a time.
 */

import { GravmeshError } from "../../base/errors.ts";
import type { FileFormatName } from "../../deck/file-formats.ts";
import { SPECIES } from "../../particles/state.ts";
import type { Column, SnapshotSet, TypeColumns } from "../column.ts";
import { DistinctIds, repeatedWords } from "../distinct-ids.ts";
import { type ParameterValue, sideOf } from "../gadget.ts";
import { idIn, massIn } from "../particle-numbers.ts";
import { RowFeed } from "../row-feed.ts";

export const FIELDS = ["coordinates", "velocities", "masses", "ids"] as const;
export type Field = (typeof FIELDS)[number];

/** Particles of one type, over all files of the source. */
export interface WrittenType {
  /** GADGET's number of it. */
  type: number;
  count: number;
  /** Of all of its particles; undefined where they differ [source's unit]. */
  mass: number | undefined;
}

/** Consecutive rows of a type. */
export interface WrittenRows {
  of: WrittenType;
  /** The first, among those of its type. */
  first: number;
  count: number;
  /** [3c], [3c], [c]: those that were asked for. */
  coordinates: Float64Array;
  velocities: Float64Array;
  masses: Float64Array;
  /** [c]; bigint where they have 64 bits. */
  ids: Float64Array | BigUint64Array;
}

/** Rows at a time. */
const BLOCK = 2 ** 17;
const NONE = new Float64Array(0);

export class Written {
  readonly types: readonly WrittenType[];
  /** N */
  readonly count: number;
  /** All particles have ids, of so many bits. */
  readonly idBits: 32 | 64 | undefined;
  #distinct: Promise<void> | undefined;

  constructor(
    readonly set: SnapshotSet,
    /** Factors of the numbers: stored = factor · source. */
    readonly factors: { length: number; mass: number; velocity: number },
    private readonly onRows: (rows: number) => void = () => {},
  ) {
    this.types = SPECIES.flatMap((_, type) => {
      const of = this.#columns(type);
      const count = of.reduce((sum, { count: n }) => sum + n, 0);
      const masses = of.map(({ masses: one }) => one);
      const same = masses.every((mass) => typeof mass === "number" && mass === masses[0]);
      return count === 0 ? [] : [{ type, count, mass: same ? (masses[0] as number) * factors.mass : undefined }];
    });
    this.count = this.types.reduce((sum, { count }) => sum + count, 0);
    const ids = set.parts.flatMap(({ types }) => types.map((of) => of.ids));
    const known = ids.filter((column) => column !== undefined);
    this.idBits = known.length < ids.length ? undefined : known.some(({ size, real }) => size === 8 && !real) ? 64 : 32;
  }

  get format(): FileFormatName {
    return this.set.format;
  }

  /** What the file says of itself, in GADGET's names. */
  get attributes(): Record<string, ParameterValue> {
    const { header, parameters, time } = this.set;
    return {
      ...{ ...header, ...parameters },
      ...(time !== undefined && { Time: time }),
      ...("BoxSize" in header && { BoxSize: sideOf(header) * this.factors.length }),
    };
  }

  /** Digits of a column: 64 where any of it has more than float32 holds. */
  bits(field: Exclude<Field, "ids">): 32 | 64 {
    const columns = this.set.parts.flatMap(({ types }) => types.map((of) => of[field]));
    const wide = columns.some((one) =>
      typeof one === "number" ? Math.fround(one) !== one : one && (one.size === 8 || !one.real),
    );
    return wide ? 64 : 32;
  }

  /** Throws "input" for an id that two particles have; formats without ids don't ask. */
  async #requireDistinctIds(): Promise<void> {
    const columns = this.set.parts.flatMap(({ types }) => types.flatMap(({ ids }) => ids ?? []));
    const distinct = new DistinctIds(this.count);
    do {
      const feed = new RowFeed(columns);
      try {
        await feed.each(this.count, (value, _, where) => distinct.take(idIn(value, where)));
      } finally {
        await feed.close();
      }
    } while (!distinct.done());
    if (distinct.repeated !== undefined) throw columns[0].fault(...repeatedWords(distinct.repeated));
  }

  #columns(type: number): TypeColumns[] {
    return this.set.parts.flatMap(({ types }) => types.filter((of) => of.type === type));
  }

  /** Rows of these types, in turn, with these fields; the arrays are good until the next rows are asked for. */
  async *rows(fields: readonly Field[], types: readonly WrittenType[] = this.types): AsyncGenerator<WrittenRows> {
    if (fields.includes("ids") && this.idBits !== undefined) {
      this.#distinct ??= this.#requireDistinctIds();
      await this.#distinct;
    }
    for (const of of types) yield* this.#rowsOf(of, fields);
  }

  async *#rowsOf(of: WrittenType, fields: readonly Field[]): AsyncGenerator<WrittenRows> {
    const { length, velocity } = this.factors;
    const columns = this.#columns(of.type);
    const feed = (column: (of: TypeColumns) => Column | number | undefined) =>
      new RowFeed(columns.map(column).filter((one) => typeof one === "object"));
    const has = (field: Field) => fields.includes(field);
    const feeds = {
      coordinates: has("coordinates") ? feed((one) => one.coordinates) : undefined,
      velocities: has("velocities") ? feed((one) => one.velocities) : undefined,
      masses: has("masses") && of.mass === undefined ? feed((one) => one.masses) : undefined,
      ids: has("ids") && this.idBits !== undefined ? feed((one) => one.ids) : undefined,
    };
    try {
      for (let first = 0; first < of.count; first += BLOCK) {
        const count = Math.min(BLOCK, of.count - first);
        const numbers = async (from: RowFeed | undefined, width: number, factor: number) => {
          if (!from) return NONE;
          const out = new Float64Array(width * count);
          await from.fill(out, 0, count, factor);
          return out;
        };
        yield {
          ...{ of, first, count },
          coordinates: await numbers(feeds.coordinates, 3, length),
          velocities: await numbers(feeds.velocities, 3, velocity),
          masses: feeds.masses
            ? await this.#masses(feeds.masses, count)
            : new Float64Array(has("masses") ? count : 0).fill(of.mass ?? 0),
          ids: feeds.ids ? await this.#ids(feeds.ids, count) : NONE,
        };
        this.onRows(count);
      }
    } finally {
      for (const one of Object.values(feeds)) await one?.close();
    }
  }

  async #masses(feed: RowFeed, count: number): Promise<Float64Array> {
    const masses = new Float64Array(count);
    await feed.each(count, (value, i, where) => {
      masses[i] = massIn(value, this.factors.mass, where);
    });
    return masses;
  }

  async #ids(feed: RowFeed, count: number): Promise<Float64Array | BigUint64Array> {
    const ids = this.idBits === 64 ? new BigUint64Array(count) : new Float64Array(count);
    await feed.each(count, (value, i, where) => {
      const id = idIn(value, where);
      ids[i] = ids instanceof BigUint64Array ? BigInt(id) : Number(id);
    });
    return ids;
  }
}

/** Numbers that all have the float32 that nearly all codes write, or more digits where the source has them. */
export function precisionOf(written: Written, fields: readonly Exclude<Field, "ids">[], double: boolean): 32 | 64 {
  return double && fields.some((field) => written.bits(field) === 64) ? 64 : 32;
}

/** What of the digits of the source goes where numbers are written in `bits`. */
export function roundingLost(written: Written, fields: readonly Exclude<Field, "ids">[], bits: 32 | 64): string[] {
  const rounded = bits === 64 ? [] : fields.filter((field) => written.bits(field) === 64);
  return rounded.length === 0 ? [] : [`digits beyond float32 of ${rounded.join(", ")}`];
}

/** Throws "input" where a number is too large for float32. */
export function toFloat32(values: Float64Array, what: string): Float32Array<ArrayBuffer> {
  const out = Float32Array.from(values);
  const wrong = out.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) return out;
  throw new GravmeshError("input", `${what}: ${values[wrong]} is too large for float32. Scale the units of the file.`);
}
