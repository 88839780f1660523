/**
 * NumPy's .npy tables: records with names (a structured array of N), or an array [N, columns] whose columns the deck names,
 * in either order of memory and of bytes. Written as records.
 */
import type { FileReading } from "../../deck/file-formats.ts";
import { binaryColumn, withByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import type { Column, Need, SnapshotSet } from "../column.ts";
import { bad } from "../snapshot-file.node.ts";
import type { FileFormat } from "./format.ts";
import { checkedHeader, isNpy, LONGEST_HEADER, type NpyField, type NpyHeader, npyHeader } from "./npy-header.ts";
import { setOfTable, type Table } from "./table.ts";
import { toFloat32, type Written, type WrittenRows } from "./written.ts";

/** Columns of a table with their places. */
interface Place {
  name: string;
  field: NpyField;
  /** Bytes from the data's beginning, and from row to row. */
  offset: number;
  stride: number;
}

function placesOf(header: NpyHeader, columns: readonly string[], fault: Table["fault"]): Place[] {
  const { shape, fields, itemBytes, fortran } = header;
  const [field] = fields;
  if (field.name !== "" || fields.length > 1) {
    if (shape.length !== 1) throw fault(`its records have the shape [${shape.join(", ")}]; expected [N].`);
    return fields.map((one) => ({ name: one.name, field: one, offset: one.offset, stride: itemBytes }));
  }
  const [rows, width] = shape;
  if (shape.length !== 2) {
    throw fault(`it has the shape [${shape.join(", ")}] without names; expected records with names, or [N, columns].`);
  }
  if (columns.length !== width) {
    throw fault(
      `it has ${width} columns without names, ${columns.length === 0 ? "and nothing says what they are" : `and columns names ${columns.length}`}.`,
      'Name them beside file: columns = ["x", "y", "z", "vx", "vy", "vz", "mass"] (--columns).',
    );
  }
  return columns.map((name, k) => ({
    ...{ name, field },
    ...(fortran
      ? { offset: k * rows * itemBytes, stride: itemBytes }
      : { offset: k * itemBytes, stride: width * itemBytes }),
  }));
}

/** A column of numbers at these places. */
export function npyColumn(file: string, data: number, rows: number, places: readonly Place[], path: string): Column {
  const [{ field, stride }] = places;
  const { kind, little, width, size } = field;
  if (kind === undefined) throw bad(file, `${path} holds no numbers.`, "Expected floats or whole numbers.");
  if (places.some((one) => one.field.kind !== kind || one.field.little !== little || one.stride !== stride)) {
    throw bad(file, `${places.map(({ name }) => name).join(", ")} are of different types; expected one.`);
  }
  const start = places.map(({ offset }) => data + offset);
  const offsets = places.length === 1 && width === 3 ? [0, 1, 2].map((k) => start[0] + k * size) : start;
  if (places.length === 1 ? width !== 1 && width !== 3 : width !== 1) {
    throw bad(file, `${path} has ${width} numbers a row; expected ${places.length === 1 ? "1 or 3" : 1}.`);
  }
  return binaryColumn({ file, path, rows, offsets, stride, kind, little });
}

async function openNpy(name: string, need: Need, { columns = [] }: FileReading): Promise<SnapshotSet> {
  const fault: Table["fault"] = (found, advice) => bad(name, found, advice);
  const { header, places } = withByteFile(name, (file) => {
    const start = file.readUpTo(0, LONGEST_HEADER);
    const found = checkedHeader(start, file.bytes, (what, advice) => fault(`the file ${what}`, advice));
    return { header: found, places: placesOf(found, columns, fault) };
  });
  const [count] = header.shape;
  const of = (wanted: string) => places.find((place) => place.name === wanted)!;
  const table: Table = {
    ...{ file: name, format: "npy", count, names: places.map((place) => place.name), attributes: {}, fault },
    column: (names, path) => npyColumn(name, header.offset, count, names.map(of), path),
  };
  return setOfTable(table, need);
}

const AXES = ["x", "y", "z", "vx", "vy", "vz"];

/** Records of the fields in the order of the header. */
function recordsOf(rows: WrittenRows, widths: { x: number; v: number; m: number; id: number }): Uint8Array {
  const { count, ids } = rows;
  const fitting = (field: "coordinates" | "velocities" | "masses", size: number) =>
    size === 8 ? rows[field] : toFloat32(rows[field], field);
  const coordinates = fitting("coordinates", widths.x);
  const velocities = fitting("velocities", widths.v);
  const masses = fitting("masses", widths.m);
  const stride = 3 * widths.x + 3 * widths.v + widths.m + 1 + widths.id;
  const view = new DataView(new ArrayBuffer(stride * count));
  const set = (size: number, at: number, value: number) =>
    size === 8 ? view.setFloat64(at, value, true) : view.setFloat32(at, value, true);
  for (let i = 0; i < count; i++) {
    let at = stride * i;
    for (let k = 0; k < 3; k++, at += widths.x) set(widths.x, at, coordinates[3 * i + k]);
    for (let k = 0; k < 3; k++, at += widths.v) set(widths.v, at, velocities[3 * i + k]);
    set(widths.m, at, masses[i]);
    at += widths.m;
    view.setUint8(at++, rows.of.type);
    if (widths.id === 8) view.setBigUint64(at, BigInt(ids[i]), true);
    else if (widths.id === 4) view.setUint32(at, Number(ids[i]), true);
  }
  return new Uint8Array(view.buffer);
}

async function writeNpy(file: string, written: Written): Promise<string[]> {
  const bytes = (field: "coordinates" | "velocities" | "masses") => written.bits(field) / 8;
  const widths = { x: bytes("coordinates"), v: bytes("velocities"), m: bytes("masses"), id: (written.idBits ?? 0) / 8 };
  const fields = [
    ...AXES.map((name, k) => `('${name}', '<f${k < 3 ? widths.x : widths.v}')`),
    `('mass', '<f${widths.m}')`,
    "('type', '|u1')",
    ...(widths.id === 0 ? [] : [`('id', '<u${widths.id}')`]),
  ];
  await ByteWriter.to(file, async (out) => {
    out.write(npyHeader(`[${fields.join(", ")}]`, [written.count]));
    for await (const rows of written.rows(["coordinates", "velocities", "masses", "ids"]))
      out.write(recordsOf(rows, widths));
  });
  return ["all that the file said of itself: time, box, units"];
}

export const npy: FileFormat = {
  name: "npy",
  about: "NumPy table: records with names, or an array whose columns are named beside it",
  endings: [".npy"],
  gadget: false,
  hasUnits: false,
  passes: 1,
  recognise: ({ bytes }) => isNpy(bytes),
  open: openNpy,
  write: writeNpy,
};
