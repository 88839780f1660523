/**
 * NumPy's .npz archives: an array a column, positions [N, 3] or x, y and z [N], from savez or savez_compressed; single
 * numbers are what GADGET's headers say (Time, BoxSize, …), or the mass of every particle.
 */
import { ByteWriter } from "../byte-writer.node.ts";
import { type CheckedColumn, FIELDS, type Field, type Need, type Slab, type SnapshotSet } from "../column.ts";
import type { ParameterValue } from "../gadget.ts";
import { consecutiveOffsets, decoded, NUMBER_KINDS } from "../number-kinds.ts";
import { bad, printable } from "../regular-file.node.ts";
import type { FileFormat } from "./format.ts";
import { checkedHeader, LONGEST_HEADER, type NpyHeader, npyHeader } from "./npy-header.ts";
import {
  isColumnName,
  joined,
  setOfTable,
  TABLE_ATTRIBUTES,
  TABLE_TEXTS,
  type TableFile,
  tableAttributes,
} from "./table.ts";
import { NUMBERS, type Written } from "./written.ts";
import { bytesOf, writeZip, type ZipMember, zipMembers } from "./zip.node.ts";

interface NpzArray {
  name: string;
  member: ZipMember;
  header: NpyHeader;
}

const ENDING = ".npy";
/** A single value is read with its header, and has at most so many bytes [byte]. */
const LONGEST_TEXT = 4096;
const isAttribute = (name: string) => TABLE_ATTRIBUTES.includes(name) || TABLE_TEXTS.includes(name);

/** The first bytes of a member, as many as a header and a single value may have; all of them where there are fewer. */
async function startOf(file: string, { name }: ZipMember): Promise<Uint8Array<ArrayBuffer>> {
  let start = new Uint8Array(0);
  for await (const piece of bytesOf(file, name)) {
    start = appended(start, piece);
    if (start.length >= LONGEST_HEADER + LONGEST_TEXT) break;
  }
  return start;
}

function appended(held: Uint8Array, more: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(held.length + more.length);
  both.set(held);
  both.set(more, held.length);
  return both;
}

/** Arrays that mean something; others are left alone. */
async function arraysOf(file: string): Promise<NpzArray[]> {
  const arrays: NpzArray[] = [];
  for (const member of await zipMembers(file)) {
    const name = member.name.slice(0, -ENDING.length);
    if (!member.name.endsWith(ENDING) || !(isColumnName(name) || isAttribute(name))) continue;
    const what = `its member ${printable(member.name)}`;
    const header = checkedHeader(await startOf(file, member), member.bytes, (found, advice) =>
      bad(file, `${what} ${found}`, advice),
    );
    arrays.push({ name, member, header });
  }
  return arrays;
}

/** Rows of `width` numbers beside each other, from byte `from` of a member on. */
async function* slabsOf(file: string, array: NpzArray, width: 1 | 3, from: number): AsyncGenerator<Slab> {
  const { member, header } = array;
  const [{ kind, little, size }] = header.fields;
  const stride = width * size;
  const [rows] = header.shape;
  const offsets = consecutiveOffsets(0, width, size);
  let skip = from;
  let first = 0;
  let held: Uint8Array = new Uint8Array(0);
  for await (const piece of bytesOf(file, member.name)) {
    const fresh = piece.subarray(Math.min(skip, piece.length));
    skip -= piece.length - fresh.length;
    held = held.length === 0 ? fresh : appended(held, fresh);
    const count = Math.min(rows - first, Math.floor(held.length / stride));
    // The whole member is read, so that its sum is checked.
    if (count === 0) continue;
    const view = new DataView(held.buffer, held.byteOffset, count * stride);
    yield { values: decoded(view, count, { offsets, stride, kind: kind!, little }), first };
    held = held.subarray(count * stride);
    first += count;
  }
}

function columnIn(file: string, array: NpzArray, count: number): CheckedColumn {
  const { name, header } = array;
  const { shape, fields, fortran } = header;
  const [{ kind, size, name: field }] = fields;
  const fault = (found: string, advice?: string) => bad(file, found, advice);
  const isVector = shape.length === 2 && shape[1] === 3;
  if (field !== "" || kind === undefined) throw fault(`its array ${printable(name)} holds no plain numbers.`);
  if (shape[0] !== count || (shape.length !== 1 && !isVector)) {
    throw fault(
      `its array ${printable(name)} has the shape [${shape.join(", ")}]; expected [${count}] or [${count}, 3].`,
    );
  }
  const of = (width: 1 | 3, from: number): CheckedColumn => ({
    ...{ path: name, rows: count, width, real: NUMBER_KINDS[kind].real, size },
    ...{ slabs: () => slabsOf(file, array, width, from), fault },
  });
  const { offset } = header;
  if (!isVector) return of(1, offset);
  if (!fortran) return of(3, offset);
  const axes = consecutiveOffsets(offset, 3, count * size).map((from) => of(1, from));
  return joined(axes, name);
}

async function scalarIn(file: string, { header, member, name }: NpzArray): Promise<ParameterValue> {
  const [{ kind, little, size }] = header.fields;
  const { shape } = header;
  if (shape.some((n) => n !== 1) || size > LONGEST_TEXT) {
    throw bad(file, `its array ${printable(name)} has the shape [${shape.join(", ")}]; expected a single value.`);
  }
  const view = new DataView((await startOf(file, member)).buffer, header.offset, size);
  if (kind) return Number(NUMBER_KINDS[kind].get(view, 0, little));
  const codes = Array.from({ length: Math.floor(size / 4) }, (_, i) => view.getUint32(4 * i, little));
  return String.fromCodePoint(...codes.filter((code) => code > 0 && code < 0x110000));
}

async function openNpz(file: string, need: Need): Promise<SnapshotSet> {
  const arrays = await arraysOf(file);
  const attributes: Record<string, ParameterValue> = {};
  const scalars = new Map<string, number>();
  for (const array of arrays) {
    const { name, header } = array;
    if (!isAttribute(name) && header.shape.length > 0) continue;
    const value = await scalarIn(file, array);
    if (isAttribute(name)) attributes[name] = value;
    else if (typeof value === "number") scalars.set(name, value);
  }
  const columns = arrays.filter(({ name }) => !isAttribute(name));
  const any = columns.find(({ header }) => header.shape.length > 0);
  const count = any?.header.shape[0] ?? 0;
  const of = (wanted: string) => columnIn(file, columns.find(({ name }) => name === wanted)!, count);
  const table: TableFile = {
    ...{ file, format: "npz", count, names: columns.map(({ name }) => name), attributes },
    column: (names, path) => (names.length === 1 ? of(names[0]) : joined(names.map(of), path)),
    scalar: (name) => scalars.get(name),
    fault: (found, advice) => bad(file, found, advice),
  };
  return setOfTable(table, need);
}

const NAMES = { coordinates: "positions", velocities: "velocities", masses: "masses", ids: "ids" };

async function writeNpz(file: string, written: Written): Promise<string[]> {
  const { count } = written;
  const column = async function* (field: Field) {
    const kind = `${field === "ids" ? "u" : "f"}${written.bits(field) / 8}`;
    yield npyHeader(`'<${kind}'`, FIELDS[field].width === 3 ? [count, 3] : [count]);
    yield* written.column(field);
  };
  const typeColumn = function* () {
    yield npyHeader("'|u1'", [count]);
    for (const { type, count: n } of written.types) yield new Uint8Array(n).fill(type);
  };
  await ByteWriter.to(file, (out) =>
    writeZip(out, async (add) => {
      for (const [name, value] of tableAttributes(written.attributes, written.set.velocities)) {
        const isText = typeof value === "string";
        await add(`${name}${ENDING}`, [
          npyHeader(isText ? `'<U${value.length}'` : "'<f8'", []),
          isText ? Uint32Array.from(value, (letter) => letter.codePointAt(0)!) : Float64Array.of(value),
        ]);
      }
      for (const field of [...NUMBERS, ...(written.idBits === undefined ? [] : ["ids" as const])]) {
        await add(`${NAMES[field]}${ENDING}`, column(field));
      }
      await add(`types${ENDING}`, typeColumn());
    }),
  );
  return [];
}

export const npz: FileFormat = {
  name: "npz",
  about: "NumPy archive, an array a column",
  endings: [".npz"],
  gadget: false,
  hasUnits: true,
  passes: 4,
  recognise: ({ bytes }) => bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5),
  open: (file, need) => openNpz(file, need),
  write: writeNpz,
};
