/**
 * The header of NumPy's .npy files (numpy/lib/format.py, versions 1 to 3): \x93NUMPY, the version, the length of a text in two
 * or four bytes, and the text, a Python dictionary of descr (a type, or names with types), fortran_order and shape.
 */
import { NUMBER_KINDS, type NumberKind } from "../number-kinds.ts";

const NPY_MAGIC = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59);

/** A field of a record, or the numbers of an array themselves. */
export interface NpyField {
  /** "" of a plain array. */
  name: string;
  kind: NumberKind | undefined;
  little: boolean;
  /** Within the record [byte]. */
  offset: number;
  size: number;
  width: number;
}

export interface NpyHeader {
  /** Where the data begin, from the beginning of the array [byte]. */
  offset: number;
  shape: number[];
  fortran: boolean;
  fields: NpyField[];
  itemBytes: number;
}

type Literal = string | number | boolean | null | Literal[];

export const LONGEST_HEADER = 65_536;

/** Whether a file that begins so is an array of NumPy, of whatever version. */
export const isNpy = (start: Uint8Array) => NPY_MAGIC.every((byte, i) => byte === start[i]);

const TRUNCATED = "It is truncated or damaged; copy it again.";

/** Versions that there are; the length of their text has two bytes, or four. */
const VERSIONS: Readonly<Record<string, 2 | 4>> = { "1.0": 2, "2.0": 4, "3.0": 4 };

/** The header of an array of `bytes` bytes that begins with `start`; `fault` makes the error of what is wrong. */
export function checkedHeader(
  start: Uint8Array,
  bytes: number,
  fault: (found: string, advice?: string) => Error,
): NpyHeader {
  if (!isNpy(start)) throw fault("is no NumPy array: it doesn't begin with \\x93NUMPY.");
  if (start.length < 8) throw fault(`has ${start.length} bytes, less than NumPy's header.`, TRUNCATED);
  const version = `${start[6]}.${start[7]}`;
  const width = VERSIONS[version];
  if (!width) {
    throw fault(`is of NumPy's version ${version}; ${Object.keys(VERSIONS).join(", ")} are read.`, "It is damaged.");
  }
  const text = 8 + width;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const length = start.length < text ? text : text + (width === 2 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (length > start.length) {
    throw fault(`has a header of ${length} bytes, of which ${start.length} are there or are looked at.`, TRUNCATED);
  }
  let header: NpyHeader;
  try {
    header = parsed(
      new TextDecoder(version === "3.0" ? "utf-8" : "latin1").decode(start.subarray(text, length)),
      length,
    );
  } catch (cause) {
    throw fault(`can't be read: ${cause instanceof Error ? cause.message : cause}.`);
  }
  const { shape, itemBytes } = header;
  const expected = shape.reduce((product, n) => product * n, itemBytes);
  const there = bytes - length;
  if (expected === there) return header;
  throw fault(
    `has the shape [${shape.join(", ")}] of ${itemBytes} bytes each, ${expected} in all, but ${there} bytes of data.`,
    expected > there ? "It is truncated; copy it again." : "",
  );
}

/** Throws a SyntaxError with what is wrong. */
function parsed(text: string, offset: number): NpyHeader {
  if (!/^\s*\{.*\}\s*\n$/s.test(text))
    throw new SyntaxError("its header isn't a dictionary, blanks and the end of a line");
  const header = JSON.parse(jsonOf(text)) as Partial<Record<"descr" | "fortran_order" | "shape", Literal>>;
  const { descr, shape, fortran_order: fortran } = header;
  if (descr === undefined || fortran === undefined) throw new SyntaxError("its header lacks descr or fortran_order");
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && (n as number) >= 0)) {
    throw new SyntaxError("the shape in its header isn't one of whole numbers");
  }
  return { offset, shape: shape as number[], fortran: fortran === true, ...fieldsIn(descr) };
}

/** A text in quotes, a bracket or a word of Python's, a comma before the end of a list, the L of a long number. */
const TOKEN = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([()]|\b(?:True|False|None)\b)|,\s*(?=[)\]}])|(?<=\d)L\b/g;
const WORDS: Readonly<Record<string, string>> = { "(": "[", ")": "]", True: "true", False: "false", None: "null" };

/** A Python literal of texts, numbers, tuples, lists and dictionaries as JSON. */
const jsonOf = (text: string) =>
  text.replace(TOKEN, (_, single?: string, double?: string, word?: string) => {
    const quoted = single ?? double;
    return quoted === undefined ? (WORDS[word ?? ""] ?? "") : JSON.stringify(quoted);
  });

const TYPE = /^([<>|=])([a-zA-Z])(\d+)$/;

function typeOf(descr: string) {
  const [, order, letter, digits] = TYPE.exec(descr) ?? [];
  if (letter === undefined) throw new SyntaxError(`the type "${descr.slice(0, 40)}" in its header isn't understood`);
  const kind = `${letter}${digits}`;
  const known = kind in NUMBER_KINDS ? (kind as NumberKind) : undefined;
  // Unicode has four bytes a character, anything else the number that is given.
  const size = known ? NUMBER_KINDS[known].size : Number(digits) * (letter === "U" ? 4 : 1);
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
