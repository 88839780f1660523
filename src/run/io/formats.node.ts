/** The file formats of particles that are read and written, and which of them a file is. */
import { basename } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Registry } from "../../foundation/base/registry.ts";
import { FILE_FORMATS, type FileFormatName, type FileReading } from "../../foundation/deck/file-formats.ts";
import { withByteFile } from "./byte-file.node.ts";
import type { Need, SnapshotSet, TypeColumns } from "./column.ts";
import { presentName } from "./file-set.node.ts";
import { csv } from "./formats/csv.node.ts";
import { type FileFormat, START_BYTES } from "./formats/format.ts";
import { gadget1, gadget2 } from "./formats/gadget-binary.node.ts";
import { gadgetHdf5 } from "./formats/gadget-hdf5.node.ts";
import { nemo } from "./formats/nemo.node.ts";
import { npy } from "./formats/npy.node.ts";
import { npz } from "./formats/npz.node.ts";
import { tipsy } from "./formats/tipsy.node.ts";
import { requireHeader } from "./header-values.node.ts";
import { bad, printable } from "./regular-file.node.ts";
import { RowFeed } from "./row-feed.ts";
import { numberedIds } from "./type-rows.ts";

const BY_NAME = {
  ...{ "gadget-hdf5": gadgetHdf5, "gadget-2": gadget2, "gadget-1": gadget1 },
  ...{ tipsy, nemo, csv, npy, npz },
} satisfies Record<FileFormatName, FileFormat>;

export const formats = new Registry<FileFormat>(
  "file format",
  FILE_FORMATS.map((name) => BY_NAME[name]),
);

function formatOfName(file: string): FileFormat | undefined {
  const name = basename(file).toLowerCase();
  return formats.records.find(({ endings }) => endings.some((ending) => name.endsWith(ending)));
}

/** The format of a file, by how it begins. Throws "input" where it is none, or may be several. */
function recognised(file: string): FileFormat {
  const start = withByteFile(file, (open) => ({ bytes: open.readUpTo(0, START_BYTES), size: open.bytes }));
  const named = formatOfName(file);
  const all = formats.records.filter((format) => format.recognise(start));
  // Any text may be a table: what the name says counts more.
  const found = named && named !== csv ? all.filter((format) => format !== csv) : all;
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (others.length > 0) {
    const names = found.map(({ name }) => `"${name}"`).join(" and ");
    throw bad(
      file,
      `it may be of the formats ${names}.`,
      `Say which with format = "${only.name}" (--from ${only.name}).`,
    );
  }
  // Its own messages say more of what is wrong.
  if (named && start.size > 0) return named;
  const bytes = Array.from(start.bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const what =
    start.size === 0
      ? "the file is empty."
      : `this is none of the formats that are read; it begins with the bytes ${bytes}.`;
  throw bad(file, what, `Expected ${formats.records.map(({ name }) => name).join(", ")}.`);
}

/** Of a set the types that are wanted, with ids of its own or new ones. Throws "input" where it lacks one of them. */
function chosen(set: SnapshotSet, { types: wanted = [], ids = "file" }: FileReading): SnapshotSet {
  if (wanted.length === 0 && ids === "file") return set;
  const there = set.parts.flatMap(({ types }) => types).sort((a, b) => a.type - b.type);
  const kept = there.filter(({ type }) => wanted.length === 0 || wanted.includes(type));
  const missing = wanted.find((type) => !kept.some((of) => of.type === type));
  if (missing !== undefined) throw bad(set.name, `it has no particles of type ${missing}.`, "Correct types (--types).");
  let from = 0;
  for (const of of ids === "new" ? kept : []) {
    of.ids = numberedIds(of, from);
    from += of.count;
  }
  const parts = set.parts.map((part) => ({ ...part, types: part.types.filter((of) => kept.includes(of)) }));
  // Components that gravmesh recorded are told by the ids of all particles.
  const { "components.number": _, ...parameters } = set.parameters;
  return { ...set, parts, parameters, ours: false };
}

/** What a file says of itself, its particles as columns. Throws "input". */
export async function openFormat(file: string, need: Need, as: FileReading = {}): Promise<SnapshotSet> {
  const { format = "auto" } = as;
  const name = presentName(file);
  const record = format === "auto" ? recognised(name) : formats.get(format);
  const set = chosen(await record.open(name, need, as), as);
  const fault = (found: string, advice?: string) => bad(set.name, found, advice);
  requireHeader(set.header, { where: record.gadget ? "Header/" : "", fault });
  requireHeader(set.parameters, { where: "Parameters/", fault });
  // Those of single particles are looked at as they are read.
  for (const { path, masses } of set.parts.flatMap(({ types }) => types)) {
    if (typeof masses !== "number" || (masses >= 0 && Number.isFinite(masses))) continue;
    throw fault(`the mass of all particles of ${path} is ${masses}; expected a finite number from 0 up.`);
  }
  for (const { types } of set.parts) for (const type of types) await requireOneMass(type);
  return set;
}

/** Masses that are there twice differ by rounding alone. */
const SAME_MASS = 1e-4;

async function requireOneMass({ path, type, count, masses, doubled }: TypeColumns): Promise<void> {
  if (!doubled || typeof masses !== "number") return;
  await RowFeed.of([doubled], (feed) =>
    feed.each(count, (value, i) => {
      if (Math.abs(Number(value) / masses - 1) <= SAME_MASS) return;
      throw doubled.fault(
        `particles of ${path} have two masses: MassTable[${type}] of the header is ${masses}, and ${doubled.path} ${value} in row ${i}.`,
        "Set that entry of MassTable to 0 if the particles' own masses are right, or leave these out.",
      );
    }),
  );
}

/** The format that is to be written. Throws "usage" for a name whose ending says nothing. */
export function formatToWrite(file: string, name: FileFormatName | undefined): FileFormat {
  const found = name === undefined ? formatOfName(file) : formats.get(name);
  if (found) return found;
  throw new GravmeshError(
    "usage",
    `${printable(file)}: its ending says no format. Name one with --to: ${formats.records.map((one) => one.name).join(", ")}; ` +
      `or choose another ending: ${formats.records.flatMap(({ endings }) => endings).join(" ")}.`,
  );
}
