/** Arrays of an exact state: whole, or in pieces, so that a checkpoint needn't have any of them in memory as a whole. */
export const ARRAY_TYPES = { Uint32Array, Float32Array, Float64Array, Int32Array };
export type ArrayType = keyof typeof ARRAY_TYPES;
export type SavedArray = Uint32Array | Float32Array | Float64Array | Int32Array;

/** An array that comes in pieces, all of its type. */
export interface ArrayInPieces {
  type: ArrayType;
  length: number;
  /** From the first element to the last; may be asked for more than once while what it reads stays as it is. */
  pieces(): AsyncIterable<SavedArray>;
}

export type ArraysInPieces = Record<string, SavedArray | ArrayInPieces>;

const inPieces = (array: SavedArray | ArrayInPieces): array is ArrayInPieces => "pieces" in array;

export const arrayType = (array: SavedArray | ArrayInPieces): ArrayType =>
  inPieces(array) ? array.type : (array.constructor.name as ArrayType);

/** The pieces of an array, one for an array that is there; each with the place of its first element. */
export async function* piecesOf(
  array: SavedArray | ArrayInPieces,
): AsyncGenerator<{ first: number; piece: SavedArray }> {
  if (!inPieces(array)) {
    if (array.length > 0) yield { first: 0, piece: array };
    return;
  }
  let first = 0;
  for await (const piece of array.pieces()) {
    yield { first, piece };
    first += piece.length;
  }
}

export async function wholeArray(array: SavedArray | ArrayInPieces): Promise<SavedArray> {
  if (!inPieces(array)) return array;
  const whole = new ARRAY_TYPES[array.type](array.length);
  for await (const { first, piece } of piecesOf(array)) whole.set(piece, first);
  return whole;
}

export async function wholeArrays(arrays: ArraysInPieces): Promise<Record<string, SavedArray>> {
  const whole: Record<string, SavedArray> = {};
  for (const [name, array] of Object.entries(arrays)) whole[name] = await wholeArray(array);
  return whole;
}
