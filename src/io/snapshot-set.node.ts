/**
 * The files of a snapshot: one, or the parts of a set, of which any is named, or the name that the whole would have. What
 * they say of themselves is looked through before a particle is read, and has to agree.
 */
import { existsSync } from "node:fs";
import { SPECIES } from "../particles/state.ts";
import type { TypeColumns } from "./column.ts";
import type { ParameterValue } from "./gadget.ts";
import { printable } from "./regular-file.node.ts";
import { SnapshotFile } from "./snapshot-file.node.ts";
import type { ReadOptions } from "./snapshot-particles.ts";
import { partNames, partOfName } from "./snapshot-parts.ts";

export interface SnapshotPart {
  file: string;
  types: TypeColumns[];
}

export interface SnapshotSet {
  /** As it was named. */
  name: string;
  parts: SnapshotPart[];
  /** Those of /Header and /Parameters of the first file. */
  header: Readonly<Record<string, ParameterValue>>;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** [file's unit] */
  time: number;
  /** gravmesh wrote it. */
  ours: boolean;
}

/** What a snapshot has to hold. */
export type Need = NonNullable<ReadOptions["need"]>;

interface Header {
  attributes: Record<string, ParameterValue>;
  /** Particles of each type in the file, and their masses where they are one [file's unit]. */
  numbers: number[];
  table: number[];
  time: number;
  files: number;
}

function headerOf(file: SnapshotFile): Header {
  const attributes = file.attributes("Header");
  if (attributes === undefined) throw file.fault("group /Header is missing.", "Expected a GADGET snapshot.");
  const { NumFilesPerSnapshot: files = 1, NumPart_ThisFile: numbers, Time: time, MassTable } = attributes;
  if (!(typeof files === "number" && Number.isSafeInteger(files) && files <= MOST_FILES)) {
    throw file.fault(`Header/NumFilesPerSnapshot is ${files}; expected a number of files up to ${MOST_FILES}.`);
  }
  if (!Array.isArray(numbers)) throw file.fault("attribute Header/NumPart_ThisFile is missing or not an array.");
  const wrong = numbers.find((n) => !(Number.isSafeInteger(n) && n >= 0));
  if (wrong !== undefined)
    throw file.fault(`Header/NumPart_ThisFile holds ${wrong}; expected whole numbers from 0 up.`);
  if (files <= 1 && numbers.every((n) => n === 0))
    throw file.fault("Header/NumPart_ThisFile is 0 for every type: there are no particles.");
  if (typeof time !== "number") throw file.fault("attribute Header/Time is missing or not a number.");
  if (!Number.isFinite(time)) throw file.fault(`Header/Time is ${time}; expected a finite number.`);
  const table = Array.isArray(MassTable) ? MassTable : numbers.map(() => 0);
  return { attributes, numbers, table, time, files: Math.max(1, files) };
}

/** More than any code writes. */
const MOST_FILES = 100_000;

function columnsOf(file: SnapshotFile, { numbers, table }: Header, need: Need): TypeColumns[] {
  return numbers.flatMap((count, type) => {
    if (count === 0) return [];
    const path = `PartType${type}`;
    if (type >= SPECIES.length) {
      throw file.fault(`${path} holds ${count} particles; types 0 to 5 are supported.`);
    }
    if (!file.hasGroup(path))
      throw file.fault(`group ${path} is missing, but Header/NumPart_ThisFile counts ${count} of its particles.`);
    const required = (name: string, width: 1 | 3, advice = "") => {
      const column = file.column(`${path}/${name}`, count, width);
      if (column === undefined) throw file.fault(`dataset ${path}/${name} is missing.`, advice);
      return column;
    };
    const mass = table[type] ?? 0;
    if (!(mass >= 0 && Number.isFinite(mass)))
      throw file.fault(`Header/MassTable holds ${mass} for ${path}; expected a mass.`);
    const advice = "Header/MassTable is 0 for this type, so each particle needs a mass.";
    return [
      {
        ...{ type, path, count },
        coordinates: required("Coordinates", 3),
        velocities: need === "positions" ? undefined : required("Velocities", 3, "A run can't start without."),
        masses: mass > 0 || need === "positions" ? mass : required("Masses", 1, advice),
        ids: file.column(`${path}/ParticleIDs`, count, 1),
      },
    ];
  });
}

/** The name of a file that is there: that of the snapshot, or of its first part. */
function presentName(name: string): string {
  if (name.includes("\0") || existsSync(name)) return name;
  const first = partNames(name, 2)[0];
  return existsSync(first) ? first : name;
}

/** Names of all files of the set that `file` belongs to. */
function namesOf(file: SnapshotFile, files: number): string[] {
  if (files === 1) return [file.name];
  const place = partOfName(file.name);
  if (place === undefined || place.part >= files) {
    throw file.fault(
      `this is one of ${files} files of a snapshot, but its name has no number from 0 to ${files - 1}.`,
      `Give all of them the names that they were written with, ${printable(partNames("NAME.hdf5", 2)[0])} and so on.`,
    );
  }
  const names = partNames(place.whole, files);
  const missing = names.filter((name) => !existsSync(name));
  if (missing.length === 0) return names;
  const others = missing.length === 1 ? "" : ` and ${missing.length - 1} more`;
  throw file.fault(
    `this is one of ${files} files of a snapshot, of which ${printable(missing[0])}${others} is missing.`,
    "Copy all of them into one folder.",
  );
}

/** Opens a file for as long as `use` lasts. */
async function withFile<T>(name: string, use: (file: SnapshotFile) => T): Promise<T> {
  const file = await SnapshotFile.open(name);
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** Attributes that are the same in all files of a set. */
const SHARED = ["NumFilesPerSnapshot", "NumPart_Total", "MassTable", "Time", "BoxSize"];

function lookThrough(file: SnapshotFile, need: Need) {
  const header = headerOf(file);
  const types = columnsOf(file, header, need);
  const [any] = types;
  return { header, types, ours: any !== undefined && file.isOurs(any.coordinates) };
}

/** Throws "input": a file of the set is missing, damaged, or doesn't go with the others; which and why. */
export async function openSet(name: string, need: Need): Promise<SnapshotSet> {
  const first = presentName(name);
  const { header, parameters, names } = await withFile(first, (file) => {
    const header = headerOf(file);
    return { header, parameters: file.attributes("Parameters") ?? {}, names: namesOf(file, header.files) };
  });
  const parts: SnapshotPart[] = [];
  const found = header.numbers.map(() => 0);
  let ours = false;
  for (const part of names) {
    await withFile(part, (file) => {
      const own = lookThrough(file, need);
      for (const shared of SHARED) {
        const [here, there] = [own.header.attributes[shared], header.attributes[shared]].map(String);
        if (here === there) continue;
        throw file.fault(
          `Header/${shared} is ${here}, in ${printable(first)} ${there}.`,
          "They are of different snapshots.",
        );
      }
      for (const [type, n] of own.header.numbers.entries()) found[type] = (found[type] ?? 0) + n;
      ours ||= own.ours;
      parts.push({ file: part, types: own.types });
    });
  }
  if (names.length > 1) await withFile(first, (file) => requireTotal(file, found, header.attributes));
  return { name: first, parts, header: header.attributes, parameters, time: header.time, ours };
}

/** Throws unless the files together hold what the snapshot has. */
function requireTotal(file: SnapshotFile, found: readonly number[], header: Header["attributes"]): void {
  const { NumPart_Total: low, NumPart_Total_HighWord: high } = header;
  if (!Array.isArray(low)) throw file.fault("attribute Header/NumPart_Total is missing or not an array.");
  // The older formats have 32 bits of each number in either.
  const total = low.map((n, type) => n + 2 ** 32 * (Array.isArray(high) ? (high[type] ?? 0) : 0));
  const type = total.findIndex((n, i) => n !== (found[i] ?? 0));
  if (type >= 0) {
    throw file.fault(
      `Header/NumPart_Total counts ${total[type]} particles of PartType${type}, its files hold ${found[type] ?? 0}.`,
      "Some of them are of another snapshot, or were not written completely.",
    );
  }
  if (total.every((n) => n === 0))
    throw file.fault("Header/NumPart_Total is 0 for every type: there are no particles.");
}
