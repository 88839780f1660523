/**
 * NumPy's .npz archives: an array a column, positions [N, 3] or x, y and z [N], from savez or savez_compressed; single
 * numbers are what GADGET's headers say (Time, BoxSize, …), or the mass of every particle.
 */
import { type ByteFile, binaryColumn, withByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import { type Column, type Need, SLAB_ROWS, type Slab, type SnapshotSet } from "../column.ts";
import type { ParameterValue } from "../gadget.ts";
import { decoded, KINDS } from "../number-kinds.ts";
import { printable } from "../regular-file.node.ts";
import { bad } from "../snapshot-file.node.ts";
import type { FileFormat } from "./format.ts";
import { npyHeaderIn } from "./npy.node.ts";
import { headerBytes, LONGEST_HEADER, type NpyHeader, npyHeader, parseNpyHeader } from "./npy-header.ts";
import {
  isColumnName,
  joined,
  setOfTable,
  TABLE_ATTRIBUTES,
  TABLE_TEXTS,
  type Table,
  tableAttributes,
} from "./table.ts";
import { FIELDS, type Written } from "./written.ts";
import { inflated, type Member, membersOf, ZipWriter } from "./zip.node.ts";

/** An array of the archive; of one that is stored, the header's offset counts from the beginning of the archive. */
interface NpzArray {
  name: string;
  member: Member;
  header: NpyHeader;
}

/** The header of a deflated array, from the first bytes that come out. */
async function deflatedHeader(file: string, member: Member): Promise<NpyHeader> {
  let bytes: Uint8Array = new Uint8Array(0);
  try {
    for await (const piece of inflated(file, member)) {
      bytes = Buffer.concat([bytes, piece]);
      const length = headerBytes(bytes);
      if (length === undefined || length > LONGEST_HEADER) {
        if (bytes.length < 12) continue;
        break;
      }
      if (bytes.length >= length) return parseNpyHeader(bytes.subarray(0, length));
    }
  } catch (cause) {
    throw bad(
      file,
      `its member ${printable(member.name)} can't be read: ${cause instanceof Error ? cause.message : cause}.`,
    );
  }
  throw bad(file, `its member ${printable(member.name)} is no NumPy array.`);
}

async function arraysOf(name: string): Promise<NpzArray[]> {
  const members = withByteFile(name, membersOf).filter((member) => member.name.endsWith(".npy"));
  const arrays: NpzArray[] = [];
  for (const member of members) {
    const header = member.deflated
      ? await deflatedHeader(name, member)
      : withByteFile(name, (file) =>
          npyHeaderIn(file, printable(member.name), member.offset, member.offset + member.bytes),
        );
    arrays.push({ name: member.name.slice(0, -".npy".length), member, header });
  }
  return arrays;
}

/** Rows of a deflated array as its bytes come. */
async function* deflatedSlabs(file: string, { member, header, name }: NpzArray, width: 1 | 3): AsyncGenerator<Slab> {
  const [{ kind, little, size }] = header.fields;
  const stride = width * size;
  const rows = header.shape[0];
  const offsets = Array.from({ length: width }, (_, k) => k * size);
  let skip = header.offset;
  let first = 0;
  let held: Uint8Array = new Uint8Array(0);
  const take = (count: number): Slab => {
    const view = new DataView(held.buffer, held.byteOffset, count * stride);
    const slab = { values: decoded(view, count, { offsets, stride, kind: kind!, little }), first };
    held = held.subarray(count * stride);
    first += count;
    return slab;
  };
  try {
    for await (const piece of inflated(file, member)) {
      const fresh = piece.subarray(Math.min(skip, piece.length));
      skip -= piece.length - fresh.length;
      held = Buffer.concat([held, fresh]);
      if (held.length >= (stride * SLAB_ROWS) / 8) yield take(Math.min(rows - first, Math.floor(held.length / stride)));
    }
  } catch (cause) {
    throw bad(file, `its member ${printable(name)} can't be read: ${cause instanceof Error ? cause.message : cause}.`);
  }
  const rest = Math.floor(held.length / stride);
  if (first + rest < rows)
    throw bad(file, `its array ${printable(name)} has ${first + rest} of ${rows} rows.`, "It is damaged.");
  if (rest > 0) yield take(rows - first);
}

function columnIn(file: string, array: NpzArray, count: number): Column {
  const { name, member, header } = array;
  const { shape, fields, fortran } = header;
  const [{ kind, little, size, name: field }] = fields;
  const fault = (found: string, advice?: string) => bad(file, found, advice);
  const isVector = shape.length === 2 && shape[1] === 3;
  if (field !== "" || kind === undefined) throw fault(`its array ${printable(name)} holds no plain numbers.`);
  if (shape[0] !== count || (shape.length !== 1 && !isVector)) {
    throw fault(
      `its array ${printable(name)} has the shape [${shape.join(", ")}]; expected [${count}] or [${count}, 3].`,
    );
  }
  const width = isVector ? 3 : 1;
  if (!member.deflated) {
    const [step, stride] = fortran ? [count * size, size] : [size, width * size];
    const offsets = Array.from({ length: width }, (_, k) => header.offset + k * step);
    return binaryColumn({ file, path: name, rows: count, offsets, stride, kind, little });
  }
  if (fortran && isVector)
    throw fault(
      `its array ${printable(name)} is compressed in Fortran's order.`,
      "Write it with numpy.ascontiguousarray.",
    );
  const slabs = () => deflatedSlabs(file, array, width);
  return { path: name, rows: count, width, real: KINDS[kind].real, size: KINDS[kind].size, slabs, fault };
}

/** The value of an array of one; undefined for others. */
async function scalarIn(file: string, { header, member }: NpzArray): Promise<ParameterValue | undefined> {
  const [{ kind, little, size }] = header.fields;
  if (header.shape.reduce((product, n) => product * n, 1) !== 1 || size > LONGEST_HEADER) return undefined;
  let bytes: Uint8Array;
  if (member.deflated) {
    const pieces: Uint8Array[] = [];
    for await (const piece of inflated(file, member)) pieces.push(piece);
    bytes = Buffer.concat(pieces).subarray(header.offset);
  } else {
    bytes = withByteFile(file, (open: ByteFile) => open.readUpTo(header.offset, size));
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < size) return undefined;
  if (kind) return Number(KINDS[kind].get(view, 0, little));
  const codes = Array.from({ length: Math.floor(size / 4) }, (_, i) => view.getUint32(4 * i, little));
  return String.fromCodePoint(...codes.filter((code) => code > 0 && code < 0x110000));
}

async function openNpz(file: string, need: Need): Promise<SnapshotSet> {
  const arrays = await arraysOf(file);
  const attributes: Record<string, ParameterValue> = {};
  const scalars = new Map<string, number>();
  for (const array of arrays) {
    const { name, header } = array;
    const isAttribute = TABLE_ATTRIBUTES.includes(name) || TABLE_TEXTS.includes(name);
    if (!isAttribute && !(header.shape.length === 0 && isColumnName(name))) continue;
    const value = await scalarIn(file, array);
    if (value === undefined) continue;
    if (isAttribute) attributes[name] = value;
    else if (typeof value === "number") scalars.set(name, value);
  }
  const columns = arrays.filter(({ name }) => !(name in attributes));
  const [any] = columns.filter(({ name, header }) => isColumnName(name) && header.shape.length > 0);
  const count = any?.header.shape[0] ?? 0;
  const of = (wanted: string) => columnIn(file, columns.find(({ name }) => name === wanted)!, count);
  const table: Table = {
    ...{ file, format: "npz", count, names: columns.map(({ name }) => name), attributes },
    column: (names, path) => (names.length === 1 ? of(names[0]) : joined(names.map(of), path)),
    scalar: (name) => scalars.get(name),
    fault: (found, advice) => bad(file, found, advice),
  };
  return setOfTable(table, need);
}

async function writeNpz(file: string, written: Written): Promise<string[]> {
  const { count } = written;
  await ByteWriter.to(file, async (out) => {
    const zip = new ZipWriter(out);
    for (const [name, value] of tableAttributes(written.attributes, written.set.velocities)) {
      await zip.add(`${name}.npy`, (write) => {
        const isText = typeof value === "string";
        write(npyHeader(isText ? `'<U${value.length}'` : "'<f8'", []));
        write(isText ? Uint32Array.from(value, (letter) => letter.codePointAt(0)!) : Float64Array.of(value));
      });
    }
    const names = { coordinates: "positions", velocities: "velocities", masses: "masses", ids: "ids" };
    for (const field of FIELDS) {
      if (field === "ids" && written.idBits === undefined) continue;
      const bits = field === "ids" ? written.idBits : written.bits(field);
      const shape = field === "coordinates" || field === "velocities" ? [count, 3] : [count];
      const array = field === "ids" ? Uint32Array : Float32Array;
      await zip.add(`${names[field]}.npy`, async (write) => {
        write(npyHeader(`'<${field === "ids" ? "u" : "f"}${Number(bits) / 8}'`, shape));
        for await (const rows of written.rows([field])) {
          const values = rows[field];
          write(bits === 64 ? values : array.from(values as Float64Array));
        }
      });
    }
    await zip.add("types.npy", async (write) => {
      write(npyHeader("'|u1'", [count]));
      for (const { type, count: n } of written.types) write(new Uint8Array(n).fill(type));
    });
    zip.finish();
  });
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
