/** Rows of a column of a snapshot one after another, across its files: never more of them at once than a slab. */
import { type Column, SnapshotFile } from "./snapshot-file.node.ts";

/** A file and the column in it. */
export interface ColumnPart {
  file: string;
  column: Column;
}

/** Numbers of consecutive rows. */
interface Slab {
  values: ArrayLike<number | bigint>;
  /** Row of the first in its file. */
  first: number;
  file: SnapshotFile;
  column: Column;
}

export class RowFeed {
  readonly #slabs: AsyncGenerator<Slab>;
  #slab: Slab | undefined;
  /** Rows of the slab that were taken. */
  #taken = 0;

  constructor(parts: readonly ColumnPart[]) {
    this.#slabs = slabsOf(parts);
  }

  /**
   * The next `rows` rows, scaled, into `out` from its row `at` on. Throws "input" with file and row where a number isn't
   * finite, and after the last row where the data don't fit their sum.
   */
  async fill(out: Float64Array | Float32Array, at: number, rows: number, scale: number): Promise<void> {
    await this.#take(rows, ({ values, first, file, column: { path, width } }, from, count, done) => {
      const target = (at + done) * width;
      for (let k = 0; k < count * width; k++) {
        const value = Number(values[from * width + k]) * scale;
        if (!Number.isFinite(value)) {
          const row = first + from + Math.floor(k / width);
          throw file.fault(`${path} row ${row} holds ${value}; every value must be finite.`);
        }
        out[target + k] = value;
      }
    });
  }

  /** The next `rows` rows one by one, with their place among these and in their file. */
  async each(
    rows: number,
    take: (value: number | bigint, i: number, where: { file: SnapshotFile; path: string; row: number }) => void,
  ): Promise<void> {
    await this.#take(rows, ({ values, first, file, column: { path } }, from, count, done) => {
      const where = { file, path, row: 0 };
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

  async #take(rows: number, use: (slab: Slab, from: number, count: number, done: number) => void): Promise<void> {
    for (let done = 0; done < rows; ) {
      if (this.#slab === undefined) {
        const { value, done: ended } = await this.#slabs.next();
        if (ended) throw new Error(`expected ${rows} more rows, found ${done}`);
        this.#slab = value as Slab;
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

async function* slabsOf(parts: readonly ColumnPart[]): AsyncGenerator<Slab> {
  for (const { file: name, column } of parts) {
    const file = await SnapshotFile.open(name);
    try {
      for await (const { slab, first } of file.slabs(column)) yield { values: slab, first, file, column };
    } finally {
      file.close();
    }
  }
}
