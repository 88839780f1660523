/**
 * TIPSY (Katz & Quinn; tipsydefs.h): a header of time and counts, then gas, dark and star particles as records of float32.
 * "Standard" files are big-endian, "native" ones in the order of the machine; both are read, standard ones written.
 * header: double time; int nbodies, ndim, nsph, ndark, nstar, pad  (32 bytes; 28 where there is no pad)
 * gas: mass, x, v, rho, temp, hsmooth, metals, phi; dark: mass, x, v, eps, phi; star: mass, x, v, metals, tform, eps, phi
 * The bytes of pad are bits 32 to 39 of nbodies, nsph, ndark and nstar in large files; many writers leave anything there.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { SPECIES } from "../../../physics/particles/state.ts";
import { type ByteFile, binaryColumn, withByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import { type CheckedColumn, FIELDS, type SnapshotSet, type TypeColumns } from "../column.ts";
import { consecutiveOffsets, encode } from "../number-kinds.ts";
import type { FileFormat } from "./format.ts";
import { NUMBERS, numberSaid, roundingLost, stored, timeAloneKept, type Written } from "./written.ts";

/** Sorts of particles in turn: floats of a record, GADGET's type, and the types that are written as it. */
const SORTS = [
  { name: "gas", floats: 12, type: 0, from: [0] },
  { name: "dark", floats: 9, type: 1, from: [1] },
  { name: "star", floats: 11, type: 4, from: [2, 3, 4, 5] },
] as const;

/** Place of each field in a record [floats], and its name in messages. */
const PLACES = { masses: 0, coordinates: 1, velocities: 4 };
const WORDS = { masses: "mass", coordinates: "pos", velocities: "vel" };

const offsetsOf = (field: keyof typeof PLACES, start = 0) =>
  consecutiveOffsets(start + 4 * PLACES[field], FIELDS[field].width, 4);

const HEADER = 32;
const HEADER_WITHOUT_PAD = 28;

const sizeOf = (counts: readonly number[]) => counts.reduce((sum, count, i) => sum + 4 * SORTS[i].floats * count, 0);

/** What the counts at the beginning of a file say, in an order of bytes. */
function countsIn(view: DataView, little: boolean, pad: number) {
  const count = (at: number, shift: number) => view.getUint32(at, little) + ((pad >>> shift) & 0xff) * 2 ** 32;
  return { bodies: count(8, 0), ndim: view.getInt32(12, little), counts: [count(16, 8), count(20, 16), count(24, 24)] };
}

/** The header that fits the size of the file; undefined where none does. */
function headerOf(bytes: Uint8Array, size: number) {
  if (bytes.length < HEADER) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const little of [false, true]) {
    const readings = [
      { offset: HEADER, pad: view.getUint32(28, little) },
      { offset: HEADER, pad: 0 },
      { offset: HEADER_WITHOUT_PAD, pad: 0 },
    ];
    for (const { offset, pad } of readings) {
      const { bodies, ndim, counts } = countsIn(view, little, pad);
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
  const { bodies, ndim, counts } = countsIn(view, little, 0);
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
      const start = offset;
      const column = (field: keyof typeof PLACES): CheckedColumn =>
        binaryColumn({
          ...{ file: name, path: `${WORDS[field]} of ${sort}`, rows: count, offsets: offsetsOf(field, start) },
          ...{ stride, kind: "f4", little },
        });
      offset += stride * count;
      if (count === 0) return [];
      return [
        {
          ...{ type, path: sort, count, ids: undefined },
          ...{ masses: column("masses"), coordinates: column("coordinates"), velocities: column("velocities") },
        },
      ];
    });
    return {
      ...{ name, format: "tipsy", parts: [{ file: name, types }], header: { Time: time }, parameters: {}, time },
      ...{ ours: false, velocities: undefined, perH: true, hasUnits: false },
    };
  });
}

async function writeTipsy(file: string, written: Written): Promise<string[]> {
  const typesOf = (from: readonly number[]) => written.types.filter(({ type }) => from.includes(type));
  const counts = SORTS.map(({ from }) => typesOf(from).reduce((sum, { count }) => sum + count, 0));
  if (written.count >= 2 ** 40) throw new GravmeshError("usage", `${written.count} particles are too many for TIPSY.`);
  const header = new DataView(new ArrayBuffer(HEADER));
  header.setFloat64(0, numberSaid(written, "Time"));
  header.setInt32(12, 3);
  for (const [i, count] of [written.count, ...counts].entries()) {
    header.setUint32([8, 16, 20, 24][i], count % 2 ** 32);
    // Byte i of pad, counted from its lowest.
    header.setUint8(31 - i, Math.floor(count / 2 ** 32));
  }
  await ByteWriter.to(file, async (out) => {
    out.write(header);
    for (const { from, floats } of SORTS) {
      const stride = 4 * floats;
      for await (const rows of written.rows(NUMBERS, typesOf(from))) {
        const records = new DataView(new ArrayBuffer(stride * rows.count));
        for (const field of NUMBERS) {
          encode(records, stored(rows, field, 32), { offsets: offsetsOf(field), stride, kind: "f4", little: false });
        }
        out.write(records);
      }
    }
  });
  const merged = written.types.filter(({ type }) => type > 1 && type !== 4).map(({ type }) => SPECIES[type]);
  const kinds = merged.length === 0 ? [] : [`the types ${merged.join(", ")}, which became star particles`];
  return [...roundingLost(written, 32), ...timeAloneKept(written, kinds)];
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
