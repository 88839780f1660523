/**
 * NEMO's structured binary files (Teuben 1995; filestruct(5NEMO), filesecret.c): items one after the other, in either
 * order of bytes. An item is a magic number of 16 bits (one for single items, another for arrays), its type and its tag as
 * texts that end with 0, the dimensions of an array as 32-bit integers that end with 0, and the data. The type "("
 * begins a set of items, ")" ends it.
 */
import type { ByteFile } from "../byte-file.node.ts";

const SINGLE = (0o11 << 8) + 0o222;
const PLURAL = (0o13 << 8) + 0o222;
const SET = "(";
const END = ")";

const LENGTHS: Readonly<Record<string, number>> = { a: 1, c: 1, b: 1, s: 2, i: 4, l: 8, h: 2, f: 4, d: 8 };

export interface Item {
  type: string;
  tag: string;
  /** Empty for a single one. */
  dims: number[];
  offset: number;
  bytes: number;
  items: Item[];
}

/** Whether a file that begins so has little-endian numbers; undefined where it is none of NEMO's. */
export function isLittle(bytes: Uint8Array): boolean | undefined {
  if (bytes.length < 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const known = bytes[2] === SET.charCodeAt(0) || (String.fromCharCode(bytes[2]) in LENGTHS && bytes[3] === 0);
  if (!known) return undefined;
  return [true, false].find((little) => [SINGLE, PLURAL].includes(view.getUint16(0, little)));
}

/** Room that the head of an item takes at most: texts of 64 characters and nine dimensions in NEMO's own library [byte]. */
const HEAD = 512;
/** Nested sets in NEMO's own library. */
const DEEPEST = 8;
const MOST_ITEMS = 1_000_000;

/** All items of a file; their data are left where they are. Throws "input" for what is damaged. */
export function itemsOf(file: ByteFile, little: boolean): Item[] {
  let at = 0;
  let count = 0;

  /** The items up to the end of the set that is named, or of the file. */
  const itemsIn = (depth: number, set?: string): Item[] => {
    const items: Item[] = [];
    while (at < file.bytes) {
      const item = next(depth);
      if (item) items.push(item);
      else if (set !== undefined) return items;
    }
    if (set === undefined) return items;
    throw faultAt(at)(`begins the set ${set}, which has no end`);
  };

  const faultAt = (start: number) => (found: string) =>
    file.fault(`the item at byte ${start} ${found}.`, "The file is damaged, or no structured file of NEMO.");

  /** The next item, with those in it; undefined at the end of a set. */
  const next = (depth: number): Item | undefined => {
    const start = at;
    const fault = faultAt(start);
    if (++count > MOST_ITEMS) throw fault(`is one of more than ${MOST_ITEMS}`);
    const head = file.readUpTo(start, HEAD);
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    if (head.length < 4) throw fault("is cut off by the end of the file");
    const magic = view.getUint16(0, little);
    if (magic !== SINGLE && magic !== PLURAL) {
      throw fault(`begins with the magic number ${magic}; expected ${SINGLE} or ${PLURAL}`);
    }
    let read = 2;
    const text = () => {
      const end = head.indexOf(0, read);
      if (end < 0) throw fault("has a name without end");
      const found = String.fromCharCode(...head.subarray(read, end));
      read = end + 1;
      return found;
    };
    const type = text();
    const tag = type === END ? "" : text();
    const dims: number[] = [];
    while (magic === PLURAL) {
      if (read + 4 > head.length) throw fault("has dimensions without end");
      const dim = view.getInt32(read, little);
      read += 4;
      if (dim === 0) break;
      if (dim < 0) throw fault(`has the dimension ${dim}`);
      dims.push(dim);
    }
    at = start + read;
    if (type === END) return undefined;
    if (type === SET) {
      if (depth >= DEEPEST) throw fault(`is a set in more than ${DEEPEST} others`);
      return { type, tag, dims: [], offset: at, bytes: 0, items: itemsIn(depth + 1, tag) };
    }
    if (!(type in LENGTHS)) throw fault(`has the type "${type.replace(/[^ -~]/g, "?")}", which is none of NEMO's`);
    const bytes = dims.reduce((product, dim) => product * dim, LENGTHS[type]);
    const item = { type, tag, dims, offset: at, bytes, items: [] };
    at += bytes;
    if (at <= file.bytes) return item;
    throw file.fault(
      `${tag} at byte ${start} should have ${bytes} bytes of data, but the file ends at byte ${file.bytes}.`,
      "It is truncated; copy it again.",
    );
  };

  return itemsIn(0);
}

/** The head of an item, little-endian. */
export function headOf(type: string, tag: string, dims: readonly number[] = []): Uint8Array {
  const texts = new TextEncoder().encode(type === END ? `${type}\0` : `${type}\0${tag}\0`);
  const plural = dims.length > 0 ? [...dims, 0] : [];
  const view = new DataView(new ArrayBuffer(2 + texts.length + 4 * plural.length));
  view.setUint16(0, plural.length > 0 ? PLURAL : SINGLE, true);
  new Uint8Array(view.buffer).set(texts, 2);
  for (const [i, dim] of plural.entries()) view.setInt32(2 + texts.length + 4 * i, dim, true);
  return new Uint8Array(view.buffer);
}

export const beginSet = (tag: string) => headOf(SET, tag);
export const endSet = () => headOf(END, "");
