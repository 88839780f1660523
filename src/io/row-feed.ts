/** Rows of a column of a snapshot one after another, across its files: never more of them at once than a slab. */
import type { Column, Slab } from "./column.ts";

/** Rows of the column of one file. */
interface ColumnSlab extends Slab {
  column: Column;
}

/** A number's place in its column. */
export interface RowPlace {
  column: Column;
  row: number;
}

export class RowFeed {
  readonly #slabs: AsyncGenerator<ColumnSlab>;
  #slab: ColumnSlab | undefined;
  /** Rows of the slab that were taken. */
  #taken = 0;

  /** The column in each file. */
  constructor(columns: readonly Column[]) {
    this.#slabs = slabsOf(columns);
  }

  /**
   * The next `rows` rows, scaled, into `out` from its row `at` on. Throws "input" with file and row where a number isn't
   * finite, and after the last row where the data don't fit their sum.
   */
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

  /** Lets go of the files. */
  async close(): Promise<void> {
    await this.#slabs.return(undefined);
  }

  async #take(rows: number, use: (slab: ColumnSlab, from: number, count: number, done: number) => void): Promise<void> {
    for (let done = 0; done < rows; ) {
      if (this.#slab === undefined) {
        const { value, done: ended } = await this.#slabs.next();
        if (ended) throw new Error(`expected ${rows} more rows, found ${done}`);
        this.#slab = value as ColumnSlab;
      }
      const slab = this.#slab;
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

  async #next(): Promise<void> {
    const { value, done } = await this.#slabs.next();
    if (!done) this.#slab = value;
  }
}

async function* slabsOf(columns: readonly Column[]): AsyncGenerator<ColumnSlab> {
  for (const column of columns) for await (const slab of column.slabs()) yield { ...slab, column };
}
