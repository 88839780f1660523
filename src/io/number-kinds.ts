/** Numbers in bytes: kinds, orders and places within a row. */

/** How a number is stored, and how it is read. */
export const KINDS = {
  f4: { size: 4, real: true, array: Float32Array, get: (v: DataView, at: number, le: boolean) => v.getFloat32(at, le) },
  f8: { size: 8, real: true, array: Float64Array, get: (v: DataView, at: number, le: boolean) => v.getFloat64(at, le) },
  i1: { size: 1, real: false, array: Int8Array, get: (v: DataView, at: number) => v.getInt8(at) },
  u1: { size: 1, real: false, array: Uint8Array, get: (v: DataView, at: number) => v.getUint8(at) },
  i2: { size: 2, real: false, array: Int16Array, get: (v: DataView, at: number, le: boolean) => v.getInt16(at, le) },
  u2: { size: 2, real: false, array: Uint16Array, get: (v: DataView, at: number, le: boolean) => v.getUint16(at, le) },
  i4: { size: 4, real: false, array: Int32Array, get: (v: DataView, at: number, le: boolean) => v.getInt32(at, le) },
  u4: { size: 4, real: false, array: Uint32Array, get: (v: DataView, at: number, le: boolean) => v.getUint32(at, le) },
  i8: {
    size: 8,
    real: false,
    array: BigInt64Array,
    get: (v: DataView, at: number, le: boolean) => v.getBigInt64(at, le),
  },
  u8: {
    ...{ size: 8, real: false, array: BigUint64Array },
    get: (v: DataView, at: number, le: boolean) => v.getBigUint64(at, le),
  },
} as const;
export type NumberKind = keyof typeof KINDS;

/** Where the numbers of a row are, from the first row's beginning on. */
export interface RowLayout {
  /** Of each [byte]. */
  offsets: readonly number[];
  /** From a row to the next [byte]. */
  stride: number;
  kind: NumberKind;
  little: boolean;
}

/** Numbers of rows [from, from + rows) out of the bytes that begin with the first of them. */
export function decoded(view: DataView, rows: number, { offsets, stride, kind, little }: RowLayout) {
  const { array, get } = KINDS[kind];
  const width = offsets.length;
  const values = new array(rows * width);
  for (let k = 0; k < width; k++) {
    for (let i = 0, at = offsets[k]; i < rows; i++, at += stride) values[i * width + k] = get(view, at, little);
  }
  return values as ArrayLike<number | bigint>;
}
