/** Datasets of an ensemble's HDF5 file: rows of numbers, texts, and tables [M × T] that are written a band of rows at a time. */
import { type AttributeValue, type Hdf5Dataset, type Hdf5Group, writeAttributes } from "../../io/hdf5.node.ts";

type Attributes = Readonly<Record<string, AttributeValue>>;

/** Rows of a chunk, which is how many are written at a time; and its columns: 32 KiB. */
export const BAND = 32;
const CHUNK_COLUMNS = 128;
/** Of a table that is read back at a time [byte]. */
const SLAB_BYTES = 8 * 2 ** 20;

export function numbers(
  group: Hdf5Group,
  name: string,
  data: Float64Array,
  about: Attributes = {},
  shape = [data.length],
) {
  writeAttributes(group.create_dataset({ name, data, shape, dtype: "<d" }), about);
}

export function counts(group: Hdf5Group, name: string, data: Int32Array, about: Attributes = {}) {
  writeAttributes(group.create_dataset({ name, data, shape: [data.length], dtype: "<i" }), about);
}

/** UTF-8 of one length for all. */
export function texts(group: Hdf5Group, name: string, data: readonly string[], about: Attributes = {}) {
  const longest = Math.max(1, ...data.map((text) => new TextEncoder().encode(text).length));
  writeAttributes(group.create_dataset({ name, data: [...data], shape: [data.length], dtype: `S${longest}` }), about);
}

/** A table [rows × columns] of numbers. */
export class Table {
  readonly #dataset: Hdf5Dataset;

  constructor(
    group: Hdf5Group,
    name: string,
    readonly rows: number,
    readonly columns: number,
    about: Attributes,
  ) {
    const chunks = [Math.min(rows, BAND), Math.min(columns, CHUNK_COLUMNS)];
    const room = { maxshape: [rows, columns], chunks, data: new Float64Array(), shape: [0, columns] };
    this.#dataset = group.create_dataset({ name, dtype: "<d", ...room });
    this.#dataset.resize([rows, columns]);
    writeAttributes(this.#dataset, about);
  }

  /** Rows from `first` on, one after the other; `first` is a multiple of BAND. */
  write(first: number, values: Float64Array): void {
    const last = first + values.length / this.columns;
    this.#dataset.write_slice(
      [
        [first, last],
        [0, this.columns],
      ],
      values,
    );
  }

  /** Its columns in turn: the values of `rows` in each. */
  *byColumn(rows: readonly number[]): Generator<Float64Array> {
    const width = Math.max(1, Math.floor(SLAB_BYTES / (8 * this.rows * CHUNK_COLUMNS))) * CHUNK_COLUMNS;
    for (let from = 0; from < this.columns; from += width) {
      const to = Math.min(this.columns, from + width);
      const slab = this.#dataset.slice([
        [0, this.rows],
        [from, to],
      ]) as Float64Array;
      for (let at = 0; at < to - from; at++) yield Float64Array.from(rows, (row) => slab[row * (to - from) + at]);
    }
  }
}
