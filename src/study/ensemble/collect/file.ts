/** Data sets of an ensemble's HDF5 file: columns of numbers and texts, and tables [M × T] written a band of rows at a time. */
import {
  type AttributeValue,
  type Hdf5Dataset,
  type Hdf5Group,
  rowRanges,
  writeAttributes,
} from "../../../run/io/hdf5.node.ts";

type Attributes = Readonly<Record<string, AttributeValue>>;

/** Rows of a chunk, which is how many are written at a time; and its columns: 32 KiB. */
export const BAND = 32;
const CHUNK_COLUMNS = 128;
/** So much of a table is read back at a time [byte]. */
const SLAB_BYTES = 8 * 2 ** 20;

/** Numbers, whole numbers, or texts (UTF-8 of one length for all); what they are; [rows, columns] of a matrix. */
export type Column = readonly [
  data: Float64Array | Int32Array | readonly string[],
  about?: Attributes,
  shape?: readonly number[],
];

export function writeColumns(group: Hdf5Group, columns: Readonly<Record<string, Column>>): void {
  for (const [name, [data, about = {}, shape = [data.length]]] of Object.entries(columns)) {
    const dtype = data instanceof Float64Array ? "<d" : data instanceof Int32Array ? "<i" : textType(data);
    const values = Array.isArray(data) ? [...data] : (data as Float64Array | Int32Array);
    writeAttributes(group.create_dataset({ name, data: values, shape: [...shape], dtype }), about);
  }
}

const textType = (texts: readonly string[]) => `S${Math.max(1, ...texts.map((text) => Buffer.byteLength(text)))}`;

export function matrixOf(rows: readonly ArrayLike<number>[], width: number, about: Attributes): Column {
  const all = new Float64Array(rows.length * width);
  for (const [i, row] of rows.entries()) all.set(row, i * width);
  return [all, about, [rows.length, width]];
}

export class CollectedTable {
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
    const rows = rowRanges(first, first + values.length / this.columns, [this.columns]);
    this.#dataset.write_slice(rows, values);
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
