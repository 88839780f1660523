/**
 * NumPy's .npy tables: records with names (a structured array of N), or an array [N, columns] whose columns the deck names,
 * in either order of memory and of bytes. Written as records.
 */
import type { FileReading } from "../../../foundation/deck/file-formats.ts";
import { binaryColumn, withByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import type { CheckedColumn, Field, Need, SnapshotSet } from "../column.ts";
import { consecutiveOffsets, encode, NUMBER_KINDS, type NumberKind } from "../number-kinds.ts";
import { bad } from "../regular-file.node.ts";
import type { FileFormat } from "./format.ts";
import { checkedHeader, isNpy, LONGEST_HEADER, type NpyHeader, npyHeader } from "./npy-header.ts";
import { joined, setOfTable, type TableFile } from "./table.ts";
import { NUMBERS, stored, type Written } from "./written.ts";

type Place = ReturnType<typeof placesOf>[number];

/** Columns of a table; offsets are from the data's beginning on, strides from row to row [byte]. */
function placesOf(header: NpyHeader, columns: readonly string[], fault: TableFile["fault"]) {
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

function npyColumn(file: string, data: number, rows: number, places: readonly Place[], path: string): CheckedColumn {
  const [{ field, stride }] = places;
  const { kind, little, width, size } = field;
  if (kind === undefined) throw bad(file, `${path} holds no numbers.`, "Expected floats or whole numbers.");
  if (places.some((one) => one.field.kind !== kind || one.field.little !== little || one.stride !== stride)) {
    throw bad(file, `${places.map(({ name }) => name).join(", ")} are of different types; expected one.`);
  }
  // In memory's other order the columns lie far apart.
  if (places.length > 1 && places[0].field.name === "" && stride === size) {
    return joined(
      places.map((place) => npyColumn(file, data, rows, [place], place.name)),
      path,
    );
  }
  const start = places.map(({ offset }) => data + offset);
  const offsets = places.length === 1 && width === 3 ? consecutiveOffsets(start[0], 3, size) : start;
  if (places.length === 1 ? width !== 1 && width !== 3 : width !== 1) {
    throw bad(file, `${path} has ${width} numbers a row; expected ${places.length === 1 ? "1 or 3" : 1}.`);
  }
  return binaryColumn({ file, path, rows, offsets, stride, kind, little });
}

async function openNpy(name: string, need: Need, { columns = [] }: FileReading): Promise<SnapshotSet> {
  const fault: TableFile["fault"] = (found, advice) => bad(name, found, advice);
  const { header, places } = withByteFile(name, (file) => {
    const start = file.readUpTo(0, LONGEST_HEADER);
    const found = checkedHeader(start, file.bytes, (what, advice) => fault(`the file ${what}`, advice));
    return { header: found, places: placesOf(found, columns, fault) };
  });
  const [count] = header.shape;
  const of = (wanted: string) => places.find((place) => place.name === wanted)!;
  const table: TableFile = {
    ...{ file: name, format: "npy", count, names: places.map((place) => place.name), attributes: {}, fault },
    column: (names, path) => npyColumn(name, header.offset, count, names.map(of), path),
  };
  return setOfTable(table, need);
}

const COLUMNS: Record<Field | "type", readonly string[]> = {
  ...{ coordinates: ["x", "y", "z"], velocities: ["vx", "vy", "vz"], masses: ["mass"], type: ["type"], ids: ["id"] },
};

async function writeNpy(file: string, written: Written): Promise<string[]> {
  const fields = [...NUMBERS, "type", ...(written.idBits === undefined ? [] : ["ids"])] as (Field | "type")[];
  let stride = 0;
  const places = fields.map((field) => {
    const kind = field === "type" ? "u1" : (`${field === "ids" ? "u" : "f"}${written.bits(field) / 8}` as NumberKind);
    const { size } = NUMBER_KINDS[kind];
    const offsets = consecutiveOffsets(stride, COLUMNS[field].length, size);
    stride += size * offsets.length;
    return { field, kind, offsets };
  });
  const types = places.flatMap(({ field, kind }) =>
    COLUMNS[field].map((name) => `('${name}', '${kind === "u1" ? "|" : "<"}${kind}')`),
  );
  await ByteWriter.to(file, async (out) => {
    out.write(npyHeader(`[${types.join(", ")}]`, [written.count]));
    for await (const rows of written.rows(["coordinates", "velocities", "masses", "ids"])) {
      const view = new DataView(new ArrayBuffer(stride * rows.count));
      for (const { field, ...place } of places) {
        const sorts = new Uint8Array(rows.count).fill(rows.of.type);
        const values = field === "type" ? sorts : stored(rows, field, written.bits(field));
        encode(view, values, { ...place, stride, little: true });
      }
      out.write(view);
    }
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
