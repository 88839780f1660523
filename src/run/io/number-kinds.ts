/** Numbers in bytes: kinds, orders and places within a row. */

type NumberName = "Float32" | "Float64" | `${"Int" | "Uint"}${8 | 16 | 32}` | "BigInt64" | "BigUint64";
type Numbers = { [index: number]: number | bigint; readonly length: number };

/** How numbers of a kind are stored, and how one is read and written at a place. */
function kindOf(name: NumberName, array: { new (length: number): object; BYTES_PER_ELEMENT: number }) {
  // Taken once: methods that are looked up by name for each number take half as long again.
  const get: (this: DataView, at: number, little: boolean) => number | bigint = DataView.prototype[`get${name}`];
  const set = DataView.prototype[`set${name}`] as (this: DataView, at: number, value: unknown, little: boolean) => void;
  const stored = name.startsWith("Big") ? BigInt : Number;
  return {
    size: array.BYTES_PER_ELEMENT,
    real: name.startsWith("Float"),
    array: array as new (length: number) => Numbers,
    get: (view: DataView, at: number, little: boolean) => get.call(view, at, little),
    set: (view: DataView, at: number, value: number | bigint, little: boolean) =>
      set.call(view, at, stored(value), little),
  };
}

export const NUMBER_KINDS = {
  ...{ f4: kindOf("Float32", Float32Array), f8: kindOf("Float64", Float64Array) },
  ...{ i1: kindOf("Int8", Int8Array), u1: kindOf("Uint8", Uint8Array) },
  ...{ i2: kindOf("Int16", Int16Array), u2: kindOf("Uint16", Uint16Array) },
  ...{ i4: kindOf("Int32", Int32Array), u4: kindOf("Uint32", Uint32Array) },
  ...{ i8: kindOf("BigInt64", BigInt64Array), u8: kindOf("BigUint64", BigUint64Array) },
};
export type NumberKind = keyof typeof NUMBER_KINDS;

/** Where the numbers of a row are, from the first row's beginning on. */
export interface RowLayout {
  offsets: readonly number[];
  /** From a row to the next [byte]. */
  stride: number;
  kind: NumberKind;
  little: boolean;
}

/** Places of `width` numbers beside each other. */
export const consecutiveOffsets = (from: number, width: number, size: number): number[] =>
  Array.from({ length: width }, (_, k) => from + k * size);

/** Numbers of rows out of bytes that begin with the first of them. */
export function decoded(view: DataView, rows: number, { offsets, stride, kind, little }: RowLayout) {
  const { array, get } = NUMBER_KINDS[kind];
  const width = offsets.length;
  const values = new array(rows * width);
  for (let k = 0; k < width; k++) {
    for (let i = 0, at = offsets[k]; i < rows; i++, at += stride) values[i * width + k] = get(view, at, little);
  }
  return values;
}

export function encode(view: DataView, values: ArrayLike<number | bigint>, layout: RowLayout): void {
  const { offsets, stride, kind, little } = layout;
  const { set } = NUMBER_KINDS[kind];
  const width = offsets.length;
  for (let k = 0; k < width; k++) {
    for (let i = k, at = offsets[k]; i < values.length; i += width, at += stride) set(view, at, values[i], little);
  }
}
