/**
 * Messages between AMUSE and its workers on a socket, as its SocketChannel writes them: a header of 44 bytes, then what each
 * type has, in the byte order of the machine that AMUSE runs on.
 *   header   int8 [4]: big-endian, error, has units, 0;  int32 [10]: call, function, calls, then how many int32, int64,
 *            float32, float64, bool, string and units there are
 *   payload  in this order: bool a byte each; strings as int32 lengths, then bytes that end with a 0 each; units float64
 * A message makes many calls of a function at once: the value of argument n in call m is at n·calls + m of its type.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";

const HEADER_BYTES = 44;
/** Calls and values of a message, or bytes of its texts: 30 million particles. No room is made for more. */
const MOST = 2 ** 28;

/** What arguments can be, by the letter that the functions' table has for them. */
export interface ColumnOf {
  i: Int32Array<ArrayBuffer>;
  l: BigInt64Array<ArrayBuffer>;
  f: Float32Array<ArrayBuffer>;
  d: Float64Array<ArrayBuffer>;
  b: Uint8Array<ArrayBuffer>;
  s: string[];
}
export type Letter = keyof ColumnOf;
type NumberLetter = Exclude<Letter, "s">;

/** In the order of the payload. */
const TYPES = { i: Int32Array, l: BigInt64Array, f: Float32Array, d: Float64Array, b: Uint8Array } as const;
const NUMBERS = Object.keys(TYPES) as NumberLetter[];
export const LETTERS: readonly Letter[] = [...NUMBERS, "s"];

export interface Head {
  bigEndian: boolean;
  callId: number;
  functionId: number;
  /** How often the function is called. */
  calls: number;
}

/** All values of each type. */
export type Values = { [L in Letter]: ColumnOf[L] };

export interface Message extends Head {
  values: Values;
}

/** Gives so many bytes of what comes, in a buffer of their own. */
export type Take = (bytes: number) => Promise<Uint8Array<ArrayBuffer>>;

const HOST_IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

export const noValues = (counts: Partial<Record<Letter, number>> = {}): Values => ({
  ...{ i: new Int32Array(counts.i ?? 0), l: new BigInt64Array(counts.l ?? 0), f: new Float32Array(counts.f ?? 0) },
  ...{ d: new Float64Array(counts.d ?? 0), b: new Uint8Array(counts.b ?? 0), s: new Array(counts.s ?? 0).fill("") },
});

/** The next message. Throws "input" for what is none. */
export async function readMessage(take: Take): Promise<Message> {
  const header = await take(HEADER_BYTES);
  const view = new DataView(header.buffer);
  const bigEndian = header[0] === 1;
  const [callId, functionId, calls, ...counts] = Array.from({ length: 10 }, (_, k) =>
    view.getInt32(4 + 4 * k, !bigEndian),
  );
  const all = counts.reduce((sum, count) => sum + count, calls);
  if (header[0] > 1 || [calls, ...counts].some((count) => count < 0) || all > MOST) {
    const found = `${Array.from(header.subarray(0, 4)).join(", ")} and ${[calls, ...counts].join(", ")}`;
    throw new GravmeshError(
      "input",
      `AMUSE's header: expected a byte order of 0 or 1 and counts from 0 up, ${MOST} in all, found ${found}`,
    );
  }
  const values = noValues();
  const numbers = async <L extends NumberLetter>(letter: L, count: number): Promise<ColumnOf[L]> => {
    const type = TYPES[letter];
    const bytes = await take(type.BYTES_PER_ELEMENT * count);
    return new type(inOrder(bytes, type.BYTES_PER_ELEMENT, bigEndian).buffer) as ColumnOf[L];
  };
  for (const [place, letter] of NUMBERS.entries()) {
    Object.assign(values, { [letter]: await numbers(letter, counts[place]) });
  }
  const [, , , , , strings, units] = counts;
  values.s = await readStrings(take, await numbers("i", strings));
  await take(8 * units);
  return { bigEndian, callId, functionId, calls, values };
}

async function readStrings(take: Take, lengths: Int32Array): Promise<string[]> {
  const all = lengths.reduce((sum, length) => sum + length + 1, 0);
  if (all > MOST || lengths.some((length) => length < 0)) {
    const found = `found ${lengths.subarray(0, 20).join(", ")}`;
    throw new GravmeshError("input", `AMUSE's strings: expected lengths from 0 up, ${MOST} in all, ${found}`);
  }
  const bytes = await take(all);
  const decoder = new TextDecoder();
  let first = 0;
  return Array.from(lengths, (length) => {
    const text = decoder.decode(bytes.subarray(first, first + length));
    first += length + 1;
    return text;
  });
}

/** The reply to a call, in the order in which it is sent; the values' own arrays are used up by it. */
export function reply({ bigEndian, callId, functionId, calls }: Head, values: Values, isError = false): Uint8Array[] {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set([bigEndian ? 1 : 0, isError ? 1 : 0]);
  const words = [callId, functionId, calls, ...LETTERS.map((letter) => values[letter].length), 0];
  for (const [k, word] of words.entries()) view.setInt32(4 + 4 * k, word, !bigEndian);
  const texts = values.s.map((text) => new TextEncoder().encode(`${text}\0`));
  const lengths = Int32Array.from(texts, (text) => text.length - 1);
  const arrays = [...NUMBERS.map((letter) => values[letter]), lengths].map((array) =>
    inOrder(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), array.BYTES_PER_ELEMENT, bigEndian),
  );
  return [header, ...arrays, ...texts].filter(({ length }) => length > 0);
}

/** The same bytes in the host's order, or from it in the other one, in place. */
function inOrder<B extends Uint8Array>(bytes: B, width: number, bigEndian: boolean): B {
  if (bigEndian === HOST_IS_BIG_ENDIAN || width === 1) return bytes;
  for (let first = 0; first < bytes.length; first += width) bytes.subarray(first, first + width).reverse();
  return bytes;
}
