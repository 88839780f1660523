/**
 * TIPSY (Katz & Quinn; tipsydefs.h): a header of time and counts, then gas, dark and star particles as records of float32.
 * "Standard" files are big-endian, "native" ones in the order of the machine; both are read, standard ones written.
 * header: double time; int nbodies, ndim, nsph, ndark, nstar, pad  (32 bytes; 28 where there is no pad)
 * gas: mass, x, v, rho, temp, hsmooth, metals, phi; dark: mass, x, v, eps, phi; star: mass, x, v, metals, tform, eps, phi
 * The bytes of pad are bits 32 to 39 of nbodies, nsph, ndark and nstar in large files.
 */
import { GravmeshError } from "../../base/errors.ts";
import { SPECIES } from "../../particles/state.ts";
import { type ByteFile, binaryColumn, withByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import type { SnapshotSet, TypeColumns } from "../column.ts";
import type { FileFormat } from "./format.ts";
import { roundingLost, toFloat32, type Written, type WrittenRows } from "./written.ts";

/** Sorts of particles in turn: floats of a record, GADGET's type, and the types that are written as it. */
const SORTS = [
  { name: "gas", floats: 12, type: 0, from: [0] },
  { name: "dark", floats: 9, type: 1, from: [1] },
  { name: "star", floats: 11, type: 4, from: [2, 3, 4, 5] },
] as const;

const HEADER = 32;
const HEADER_WITHOUT_PAD = 28;

interface TipsyHeader {
  little: boolean;
  /** Of the particles [byte]. */
  offset: number;
  time: number;
  /** By sort. */
  counts: number[];
}

const sizeOf = (counts: readonly number[]) => counts.reduce((sum, count, i) => sum + 4 * SORTS[i].floats * count, 0);

/** What the counts at the beginning of a file say, in an order of bytes. */
function countsIn(view: DataView, little: boolean, padded: boolean) {
  const pad = padded ? view.getUint32(28, little) : 0;
  const count = (at: number, shift: number) => view.getUint32(at, little) + ((pad >>> shift) & 0xff) * 2 ** 32;
  return { bodies: count(8, 0), ndim: view.getInt32(12, little), counts: [count(16, 8), count(20, 16), count(24, 24)] };
}

/** The header that fits the size of the file; undefined where none does. */
function headerOf(bytes: Uint8Array, size: number): TipsyHeader | undefined {
  if (bytes.length < HEADER) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const little of [false, true]) {
    for (const offset of [HEADER, HEADER_WITHOUT_PAD]) {
      const { bodies, ndim, counts } = countsIn(view, little, offset === HEADER);
      const sum = counts.reduce((total, one) => total + one, 0);
      if (ndim !== 3 || sum !== bodies || sum === 0 || offset + sizeOf(counts) !== size) continue;
      return { little, offset, time: view.getFloat64(0, little), counts };
    }
  }
  return undefined;
}

function mismatch(file: ByteFile, bytes: Uint8Array): GravmeshError {
  const expected = "Expected a header of 32 bytes and records of float32: 48 bytes of gas, 36 dark, 44 of stars.";
  if (bytes.length < HEADER) return file.fault(`the file has ${file.bytes} bytes, less than TIPSY's header.`, expected);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = view.getInt32(12, true) === 3;
  const { bodies, ndim, counts } = countsIn(view, little, false);
  const [gas, dark, star] = counts;
  return file.fault(
    `this is no TIPSY file of float32: read as ${little ? "little" : "big"}-endian its header has nbodies = ${bodies}, ndim = ${ndim}, ` +
      `nsph = ${gas}, ndark = ${dark}, nstar = ${star}, which take ${HEADER + sizeOf(counts)} bytes; the file has ${file.bytes}.`,
    expected,
  );
}

function openTipsy(name: string): SnapshotSet {
  return withByteFile(name, (file) => {
    const bytes = file.readUpTo(0, HEADER);
    const header = headerOf(bytes, file.bytes);
    if (!header) throw mismatch(file, bytes);
    const { little, time, counts } = header;
    let { offset } = header;
    const types = counts.flatMap((count, i): TypeColumns[] => {
      const { floats, type, name: sort } = SORTS[i];
      const stride = 4 * floats;
      const column = (what: string, first: number, width: 1 | 3) =>
        binaryColumn({
          ...{ file: name, path: `${what} of ${sort}`, rows: count, stride, kind: "f4", little },
          offsets: Array.from({ length: width }, (_, k) => start + 4 * (first + k)),
        });
      const start = offset;
      offset += stride * count;
      if (count === 0) return [];
      return [
        {
          ...{ type, path: sort, count, ids: undefined },
          ...{ masses: column("mass", 0, 1), coordinates: column("pos", 1, 3), velocities: column("vel", 4, 3) },
        },
      ];
    });
    return {
      ...{ name, format: "tipsy", parts: [{ file: name, types }], header: { Time: time }, parameters: {}, time },
      ...{ ours: false, velocities: undefined, perH: true, hasUnits: false },
    };
  });
}

/** Floats of a record, big-endian. */
function records(rows: WrittenRows, floats: number): Uint8Array {
  const { count } = rows;
  const [masses, x, v] = [
    toFloat32(rows.masses, "Masses"),
    toFloat32(rows.coordinates, "Coordinates"),
    toFloat32(rows.velocities, "Velocities"),
  ];
  const view = new DataView(new ArrayBuffer(4 * floats * count));
  for (let i = 0, at = 0; i < count; i++, at += 4 * floats) {
    view.setFloat32(at, masses[i]);
    for (let k = 0; k < 3; k++) {
      view.setFloat32(at + 4 * (1 + k), x[3 * i + k]);
      view.setFloat32(at + 4 * (4 + k), v[3 * i + k]);
    }
  }
  return new Uint8Array(view.buffer);
}

async function writeTipsy(file: string, written: Written): Promise<string[]> {
  const typesOf = (from: readonly number[]) => written.types.filter(({ type }) => from.includes(type));
  const counts = SORTS.map(({ from }) => typesOf(from).reduce((sum, { count }) => sum + count, 0));
  if (written.count >= 2 ** 40) throw new GravmeshError("usage", `${written.count} particles are too many for TIPSY.`);
  const header = new DataView(new ArrayBuffer(HEADER));
  const { Time } = written.attributes;
  header.setFloat64(0, typeof Time === "number" ? Time : 0);
  header.setInt32(12, 3);
  for (const [i, count] of [written.count, ...counts].entries()) {
    header.setUint32([8, 16, 20, 24][i], count % 2 ** 32);
    // Byte i of pad, counted from its lowest.
    header.setUint8(31 - i, Math.floor(count / 2 ** 32));
  }
  await ByteWriter.to(file, async (out) => {
    out.write(header);
    for (const { from, floats } of SORTS) {
      for await (const rows of written.rows(["coordinates", "velocities", "masses"], typesOf(from))) {
        out.write(records(rows, floats));
      }
    }
  });
  const merged = written.types.filter(({ type }) => type > 1 && type !== 4).map(({ type }) => SPECIES[type]);
  return [
    ...roundingLost(written, ["coordinates", "velocities", "masses"], 32),
    ...(written.idBits === undefined ? [] : ["ids: particles are in the order of the source, types in turn"]),
    ...(merged.length === 0 ? [] : [`the types ${merged.join(", ")}, which became star particles`]),
    "all that the file said of itself but the time",
  ];
}

export const tipsy: FileFormat = {
  name: "tipsy",
  about: "TIPSY, standard (big-endian) or native; standard when written",
  endings: [".tipsy", ".std", ".tip"],
  gadget: false,
  hasUnits: false,
  passes: 1,
  recognise: ({ bytes, size }) => headerOf(bytes, size) !== undefined,
  open: async (file) => openTipsy(file),
  write: writeTipsy,
};
