/**
 * The header of NumPy's .npy files (numpy/lib/format.py, versions 1 to 3): \x93NUMPY, the version, the length of a text in two
 * or four bytes, and the text, a Python dictionary of descr (a type, or names with types), fortran_order and shape.
 */
import { KINDS, type NumberKind } from "../number-kinds.ts";

export const NPY_MAGIC = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59);

/** A field of a record, or the numbers of an array themselves. */
export interface NpyField {
  /** "" of a plain array. */
  name: string;
  /** Undefined for what isn't a number. */
  kind: NumberKind | undefined;
  little: boolean;
  /** Within the record [byte]. */
  offset: number;
  /** Of one number [byte]. */
  size: number;
  /** Numbers. */
  width: number;
}

export interface NpyHeader {
  /** Of the data, from the beginning of the file [byte]. */
  offset: number;
  shape: number[];
  fortran: boolean;
  fields: NpyField[];
  /** Of a record, or of a number [byte]. */
  itemBytes: number;
}

type Literal = string | number | boolean | null | Literal[];

/** Longer ones are of no table of particles [byte]. */
export const LONGEST_HEADER = 65_536;

/** Length of the whole header in the first bytes of a file; undefined where it is none. */
export function headerBytes(start: Uint8Array): number | undefined {
  if (start.length < 12 || !NPY_MAGIC.every((byte, i) => byte === start[i])) return undefined;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const major = start[6];
  return major === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
}

/** Throws a SyntaxError with what is wrong. `bytes`: the whole header. */
export function parseNpyHeader(bytes: Uint8Array): NpyHeader {
  const text = new TextDecoder("latin1").decode(bytes.subarray(bytes[6] === 1 ? 10 : 12));
  const value = (key: string): Literal => {
    const at = text.indexOf(`'${key}'`);
    if (at < 0) throw new SyntaxError(`its header has no ${key}`);
    return literal(text, text.indexOf(":", at) + 1).value;
  };
  const shape = value("shape");
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && (n as number) >= 0)) {
    throw new SyntaxError("the shape in its header isn't one of whole numbers");
  }
  const { fields, itemBytes } = fieldsIn(value("descr"));
  return {
    offset: bytes.length,
    shape: shape as number[],
    fortran: value("fortran_order") === true,
    fields,
    itemBytes,
  };
}

/** A Python literal of texts, numbers, tuples and lists. */
function literal(text: string, from: number): { value: Literal; end: number } {
  const at = from + (/^\s*/.exec(text.slice(from, from + 64))?.[0].length ?? 0);
  const open = text[at];
  if (open === "(" || open === "[") {
    const items: Literal[] = [];
    for (let next = at + 1; next < text.length; ) {
      const rest = /^[\s,]*/.exec(text.slice(next))?.[0].length ?? 0;
      next += rest;
      if (text[next] === ")" || text[next] === "]") return { value: items, end: next + 1 };
      const { value, end } = literal(text, next);
      items.push(value);
      next = end;
    }
    throw new SyntaxError("its header ends within a list");
  }
  const word = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+)L?|(True|False|None))/.exec(
    text.slice(at, at + 1024),
  );
  if (!word)
    throw new SyntaxError(`its header isn't understood at "${text.slice(at, at + 12).replace(/[^ -~]/g, "?")}"`);
  const [all, single, double, number, name] = word;
  const value = number !== undefined ? Number(number) : name !== undefined ? name === "True" : (single ?? double);
  return { value, end: at + all.length };
}

const TYPE = /^([<>|=])([a-zA-Z])(\d+)$/;

function typeOf(descr: string) {
  const [, order, letter, digits] = TYPE.exec(descr) ?? [];
  if (letter === undefined) throw new SyntaxError(`the type "${descr.slice(0, 40)}" in its header isn't understood`);
  const kind = `${letter}${digits}`;
  const known = kind in KINDS ? (kind as NumberKind) : undefined;
  // Unicode has four bytes a character, anything else the number that is given.
  const size = known ? KINDS[known].size : Number(digits) * (letter === "U" ? 4 : 1);
  return { kind: known, size, little: order !== ">" };
}

function fieldsIn(descr: Literal): Pick<NpyHeader, "fields" | "itemBytes"> {
  if (typeof descr === "string") {
    const { kind, size, little } = typeOf(descr);
    return { fields: [{ name: "", kind, little, size, offset: 0, width: 1 }], itemBytes: size };
  }
  if (!Array.isArray(descr)) throw new SyntaxError("descr in its header is neither a type nor a list");
  let offset = 0;
  const fields = descr.map((one): NpyField => {
    const [title, type, shape = []] = Array.isArray(one) ? one : [];
    const name = Array.isArray(title) ? title[1] : title;
    if (typeof name !== "string" || typeof type !== "string" || !Array.isArray(shape)) {
      throw new SyntaxError("a field in its header is no name with a type; records within records aren't read");
    }
    const width = shape.reduce<number>((product, n) => product * Number(n), 1);
    const { kind, size, little } = typeOf(type);
    const field = { name, kind, little, size, offset, width };
    offset += width * size;
    return field;
  });
  return { fields, itemBytes: offset };
}

/** The header of a file, version 1, its data aligned to 64 bytes. */
export function npyHeader(descr: string, shape: readonly number[]): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${tuple}, }`;
  const length = Math.ceil((10 + text.length + 1) / 64) * 64;
  const bytes = new Uint8Array(length).fill(0x20);
  bytes.set([...NPY_MAGIC, 1, 0, (length - 10) & 0xff, (length - 10) >> 8]);
  bytes.set(new TextEncoder().encode(text), 10);
  bytes[length - 1] = 0x0a;
  return bytes;
}
