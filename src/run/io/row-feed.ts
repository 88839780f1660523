/** Rows of a column of a snapshot one after another, across its files: never more of them at once than a slab. */
import type { CheckedColumn, Slab } from "./column.ts";

interface ColumnSlab extends Slab {
  column: CheckedColumn;
}

/** A number's place in its column. */
export interface RowPlace {
  column: CheckedColumn;
  row: number;
}

/** Ids as files store them: in 32 or 64 bits, or as real numbers; whole numbers from 0 up. */
export type Ids = Uint32Array | BigUint64Array | Float64Array;

export class RowFeed {
  readonly #slabs: AsyncGenerator<ColumnSlab>;
  #slab: ColumnSlab | undefined;
  /** Rows of the slab that were taken. */
  #taken = 0;

  constructor(private readonly columns: readonly CheckedColumn[]) {
    this.#slabs = slabsOf(columns);
  }

  /** The result of `use`, which gets a feed of these columns; their files are let go of after it. */
  static async of<T>(columns: readonly CheckedColumn[], use: (feed: RowFeed) => Promise<T>): Promise<T> {
    const feed = new RowFeed(columns);
    try {
      return await use(feed);
    } finally {
      await feed.close();
    }
  }

  /** The next rows, scaled, into `out` from its row `at` on. Throws "input" for what isn't finite or doesn't fit its sum. */
  async fill(out: Float64Array | Float32Array, at: number, rows: number, scale: number): Promise<void> {
    await this.#take(rows, ({ values, first, column }, from, count, done) => {
      const { path, width } = column;
      const target = (at + done) * width;
      for (let k = 0; k < count * width; k++) {
        const value = Number(values[from * width + k]) * scale;
        if (!Number.isFinite(value)) {
          const row = first + from + Math.floor(k / width);
          throw column.fault(`${path} row ${row} holds ${value}; every value must be finite.`);
        }
        out[target + k] = value;
      }
    });
  }

  /** The next `rows` rows, scaled; throws likewise. */
  async numbers(rows: number, scale: number): Promise<Float64Array> {
    const out = new Float64Array(rows * this.columns[0].width);
    await this.fill(out, 0, rows, scale);
    return out;
  }

  /** The next masses, scaled; throws for one below 0, too. */
  async masses(rows: number, scale: number): Promise<Float64Array> {
    const masses = new Float64Array(rows);
    await this.each(rows, (value, i, where) => {
      masses[i] = massIn(value, scale, where);
    });
    return masses;
  }

  /** The next ids, as many as there is room for. Throws "input" for what is no whole number of 64 bits. */
  async ids<T extends Ids>(into: T): Promise<T> {
    await this.each(into.length, (value, i, where) => {
      const id = idIn(value, where);
      into[i] = into instanceof BigUint64Array ? BigInt(id) : Number(id);
    });
    return into;
  }

  /** The next `rows` rows one by one, with their place among these and in their file. */
  async each(rows: number, take: (value: number | bigint, i: number, where: RowPlace) => void): Promise<void> {
    await this.#take(rows, ({ values, first, column }, from, count, done) => {
      const where = { column, row: 0 };
      for (let i = 0; i < count; i++) {
        where.row = first + from + i;
        take(values[from + i], done + i, where);
      }
    });
  }

  async close(): Promise<void> {
    await this.#slabs.return(undefined);
  }

  async #take(rows: number, use: (slab: ColumnSlab, from: number, count: number, done: number) => void): Promise<void> {
    for (let done = 0; done < rows; ) {
      if (this.#slab === undefined && !(await this.#next()))
        throw new Error(`expected ${rows} more rows, found ${done}`);
      const slab = this.#slab!;
      const there = slab.values.length / slab.column.width - this.#taken;
      const count = Math.min(there, rows - done);
      use(slab, this.#taken, count, done);
      done += count;
      this.#taken += count;
      if (count < there) continue;
      [this.#slab, this.#taken] = [undefined, 0];
      // The sum is looked at when the slab after the last is asked for.
      if (slab.first + slab.values.length / slab.column.width === slab.column.rows) await this.#next();
    }
  }

  async #next(): Promise<boolean> {
    const { value, done } = await this.#slabs.next();
    if (!done) this.#slab = value;
    return !done;
  }
}

async function* slabsOf(columns: readonly CheckedColumn[]): AsyncGenerator<ColumnSlab> {
  for (const column of columns) for await (const slab of column.slabs()) yield { ...slab, column };
}

function massIn(value: number | bigint, scale: number, { column, row }: RowPlace): number {
  const mass = Number(value) * scale;
  if (mass >= 0 && mass < Number.POSITIVE_INFINITY) return mass;
  const { path } = column;
  throw Number.isFinite(mass)
    ? column.fault(`${path.split("/")[0]} row ${row} has the negative mass ${mass}.`)
    : column.fault(`${path} row ${row} holds ${mass}; every value must be finite.`);
}

const LARGEST_ID = 2n ** 64n - 1n;

export function idIn(value: number | bigint, { column, row }: RowPlace): number | bigint {
  if (value >= 0 && (typeof value === "bigint" ? value <= LARGEST_ID : Number.isSafeInteger(value))) return value;
  throw column.fault(`${column.path} row ${row} holds ${value}; expected whole numbers from 0 up to 2^64 - 1.`);
}
