/**
 * Particles on their way from one file into another: types in turn, rows of a type in the order of the source, numbers as
 * the source has them. Columns are read as often as a format wants them, a slab at a time.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { FIELDS, type Field, type SnapshotSet } from "../column.ts";
import { DistinctIds, repeatedWords } from "../distinct-ids.ts";
import { type ParameterValue, sideOf } from "../gadget.ts";
import { idIn, RowFeed } from "../row-feed.ts";
import { columnsOf, type TypeRows, typesOf } from "../type-rows.ts";

export const NUMBERS = ["coordinates", "velocities", "masses"] as const;

export interface WrittenType extends TypeRows {
  count: number;
  /** The mass that all of its particles have; undefined where they differ [source's unit]. */
  mass: number | undefined;
}

export interface WrittenRows {
  of: WrittenType;
  count: number;
  /** [3c], [3c], [c]: those that were asked for. */
  coordinates: Float64Array;
  velocities: Float64Array;
  masses: Float64Array;
  /** [c]; bigint where they have 64 bits. */
  ids: Float64Array | BigUint64Array;
}

const BLOCK = 2 ** 17;
const NONE = new Float64Array(0);

export class Written {
  readonly types: readonly WrittenType[];
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
    this.types = typesOf(set.parts).map((source) => {
      const [{ masses: first }] = source.columns;
      const same = typeof first === "number" && source.columns.every(({ masses }) => masses === first);
      return { ...source, count: source.range.count, mass: same ? first * factors.mass : undefined };
    });
    this.count = this.types.reduce((sum, { count }) => sum + count, 0);
    const ids = set.parts.flatMap(({ types }) => types.map((of) => of.ids));
    const wide = ids.some((column) => column?.size === 8 && !column.real);
    this.idBits = ids.includes(undefined) ? undefined : wide ? 64 : 32;
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

  /** Digits of a column: 64 where any of it has more than float32 holds; of ids as many as they have. */
  bits(field: Field): 32 | 64 {
    if (field === "ids") return this.idBits ?? 32;
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
      await RowFeed.of(columns, (feed) =>
        feed.each(this.count, (value, _, where) => distinct.take(idIn(value, where))),
      );
    } while (!distinct.done());
    if (distinct.repeated !== undefined) throw columns[0].fault(...repeatedWords(distinct.repeated));
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
    const { length, mass, velocity } = this.factors;
    const isRead = (field: Field) =>
      field === "masses" ? of.mass === undefined : field !== "ids" || this.idBits !== undefined;
    const feeds: Partial<Record<Field, RowFeed>> = Object.fromEntries(
      fields.filter(isRead).map((field) => [field, new RowFeed(columnsOf(of, field))]),
    );
    try {
      for (let first = 0; first < of.count; first += BLOCK) {
        const count = Math.min(BLOCK, of.count - first);
        const masses = fields.includes("masses") ? count : 0;
        yield {
          ...{ of, count },
          coordinates: (await feeds.coordinates?.numbers(count, length)) ?? NONE,
          velocities: (await feeds.velocities?.numbers(count, velocity)) ?? NONE,
          masses: (await feeds.masses?.masses(count, mass)) ?? new Float64Array(masses).fill(of.mass ?? 0),
          ids: (await feeds.ids?.ids(new (this.idBits === 64 ? BigUint64Array : Float64Array)(count))) ?? NONE,
        };
        this.onRows(count);
      }
    } finally {
      for (const one of Object.values(feeds)) await one.close();
    }
  }

  /** A column of these types in the numbers of a file: floats or ids of so many bits. Throws "input" likewise. */
  async *column(field: Field, bits = this.bits(field), types = this.types) {
    for await (const rows of this.rows([field], types)) yield stored(rows, field, bits);
  }
}

/** A column of these rows in the numbers of a file. Throws "input" where a number is too large for float32. */
export function stored(rows: WrittenRows, field: Field, bits: 32 | 64) {
  const values = rows[field];
  if (values instanceof BigUint64Array || (bits === 64 && field !== "ids")) return values;
  return field === "ids" ? Uint32Array.from(values) : toFloat32(values, FIELDS[field].name);
}

/** Numbers that all have the float32 that nearly all codes write, or more digits where the source has them. */
export function precisionOf(written: Written, double: boolean): 32 | 64 {
  return double && NUMBERS.some((field) => written.bits(field) === 64) ? 64 : 32;
}

/** What of the digits of the source goes where numbers are written in `bits`. */
export function roundingLost(written: Written, bits: 32 | 64): string[] {
  const rounded = bits === 64 ? [] : NUMBERS.filter((field) => written.bits(field) === 64);
  return rounded.length === 0 ? [] : [`digits beyond float32 of ${rounded.join(", ")}`];
}

/** What of the source goes in a format that has neither ids nor more of itself than the time. */
export function timeAloneKept(written: Written, others: string[] = []): string[] {
  return [
    ...(written.idBits === undefined ? [] : ["ids: particles are in the order of the source, types in turn"]),
    ...others,
    "all that the file said of itself but the time",
  ];
}

export function numberSaid({ attributes }: Written, name: string, otherwise = 0): number {
  const value = attributes[name];
  return typeof value === "number" ? value : otherwise;
}

function toFloat32(values: Float64Array, what: string): Float32Array<ArrayBuffer> {
  const out = Float32Array.from(values);
  const wrong = out.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) return out;
  throw new GravmeshError("input", `${what}: ${values[wrong]} is too large for float32. Scale the units of the file.`);
}
