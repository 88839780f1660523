/**
 * The files of a snapshot: one, or the parts of a set, of which any is named, or the name that the whole would have. What
 * they say of themselves is looked through before a particle is read, and has to agree.
 */
import { existsSync } from "node:fs";
import type { GravmeshError } from "../../foundation/base/errors.ts";
import type { FileFormatName } from "../../foundation/deck/file-formats.ts";
import type { SnapshotSet, TypeColumns } from "./column.ts";
import { PARTICLE_TYPES, type ParameterValue } from "./gadget.ts";
import { HEADER_NUMBERS } from "./header-values.node.ts";
import { printable } from "./regular-file.node.ts";
import { PART_NUMBER, partNames, partOfName } from "./snapshot-rows.ts";

/** What a file's header says, in GADGET's names. */
export interface Header {
  attributes: Record<string, ParameterValue>;
  /** Particles of each type in the file, and their masses where they are one [file's unit]. */
  numbers: number[];
  table: number[];
  time: number;
  files: number;
}

type Named = { name: string; fault(found: string, advice?: string): GravmeshError };

export interface LookedThrough extends Named, Pick<SnapshotSet, "ours" | "velocities" | "perH" | "hasUnits"> {
  header: Header;
  parameters: Record<string, ParameterValue>;
  types: TypeColumns[];
}

const MOST_FILES = 100_000;
const INCONSISTENT = "The header contradicts itself; was the file written completely?";

/** What the attributes that every GADGET snapshot has say. Throws "input" where they can't be. */
export function headerOf(file: Named, attributes: Record<string, ParameterValue>): Header {
  const { NumFilesPerSnapshot: files = 1, NumPart_ThisFile: numbers, Time: time } = attributes;
  if (!(typeof files === "number" && Number.isSafeInteger(files) && files >= 0 && files <= MOST_FILES)) {
    throw file.fault(`Header/NumFilesPerSnapshot is ${files}; expected a number of files up to ${MOST_FILES}.`);
  }
  if (!Array.isArray(numbers)) throw file.fault("attribute Header/NumPart_ThisFile is missing or not an array.");
  const { NumPart_Total: totals, MassTable = numbers.map(() => 0) } = attributes;
  requireLengths(file, attributes, Array.isArray(totals) ? totals.length : PARTICLE_TYPES);
  const wrong = numbers.find((n) => !(Number.isSafeInteger(n) && n >= 0));
  if (wrong !== undefined)
    throw file.fault(`Header/NumPart_ThisFile holds ${wrong}; expected whole numbers from 0 up.`);
  if (files <= 1 && numbers.every((n) => n === 0))
    throw file.fault("Header/NumPart_ThisFile is 0 for every type: there are no particles.");
  if (typeof time !== "number") throw file.fault("attribute Header/Time is missing or not a number.");
  const table = MassTable as number[];
  const type = table.findIndex((mass, of) => numbers[of] > 0 && !(mass >= 0 && Number.isFinite(mass)));
  if (type >= 0) throw file.fault(`Header/MassTable holds ${table[type]} for PartType${type}; expected a mass.`);
  return { attributes, numbers, table, time, files: Math.max(1, files) };
}

function requireLengths(file: Named, attributes: Header["attributes"], length: number): void {
  for (const name of ["NumPart_ThisFile", "NumPart_Total", "NumPart_Total_HighWord", "MassTable"]) {
    const list = attributes[name];
    if (list === undefined || (Array.isArray(list) && list.length === length)) continue;
    const found = Array.isArray(list) ? `has ${list.length} entries` : `is ${list}`;
    throw file.fault(`Header/${name} ${found}; expected one for each of ${length} types.`, INCONSISTENT);
  }
}

/** The name of a file that is there: that of the snapshot, or of its first part. */
export const presentName = (name: string): string =>
  [name, partNames(name, 2)[0]].find((one) => existsSync(one)) ?? name;

function namesOfSet(file: Named, files: number): string[] {
  if (files === 1) return [file.name];
  const place = partOfName(file.name);
  if (place === undefined || place.part >= files) {
    throw file.fault(
      `this is one of ${files} files of a snapshot, but its name has no number from 0 to ${files - 1}.`,
      `Give all of them the names that they were written with, ${printable(partNames(/\.h(df)?5$/.test(file.name) ? "NAME.hdf5" : "NAME", 2)[0])} and so on.`,
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

/** Attributes that are the same in all files of a set. */
const SHARED = ["NumFilesPerSnapshot", "NumPart_Total", "NumPart_Total_HighWord", "MassTable", ...HEADER_NUMBERS];

/** The set that a file belongs to: all of its files, looked through. Throws "input" for what doesn't go with the first. */
export async function fileSetOf(
  format: FileFormatName,
  file: string,
  look: (name: string) => LookedThrough | Promise<LookedThrough>,
): Promise<SnapshotSet> {
  const first = await look(file);
  const { header } = first;
  const names = namesOfSet(first, header.files);
  const parts: LookedThrough[] = [];
  const found = header.numbers.map(() => 0);
  for (const name of names) {
    const own = name === first.name ? first : await look(name);
    for (const shared of SHARED) {
      const [here, there] = [own.header.attributes[shared], header.attributes[shared]].map(String);
      if (here === there) continue;
      throw own.fault(
        `Header/${shared} is ${here}, in ${printable(first.name)} ${there}.`,
        "They are of different snapshots.",
      );
    }
    const { [PART_NUMBER]: part = parts.length } = own.parameters;
    if (part !== parts.length) {
      throw own.fault(
        `it was written as part ${part} of its snapshot, and its name says part ${parts.length}.`,
        "Give the parts their names back, in the order in which they were written.",
      );
    }
    for (const [type, n] of own.header.numbers.entries()) found[type] = (found[type] ?? 0) + n;
    parts.push(own);
  }
  requireTotal(first, found, header.attributes, names.length === 1);
  const [{ parameters, velocities, perH, hasUnits }] = parts;
  return {
    ...{ name: first.name, format, header: header.attributes, parameters, time: header.time },
    ...{ velocities, perH, hasUnits, ours: parts.some(({ ours }) => ours) },
    parts: parts.map(({ types }, i) => ({ file: names[i], types })),
  };
}

/** Throws unless the files together hold what the snapshot has; writers of single files may not count a total. */
function requireTotal(file: Named, found: readonly number[], header: Header["attributes"], alone: boolean): void {
  const { NumPart_Total: low, NumPart_Total_HighWord: high } = header;
  if (alone && (low === undefined || (Array.isArray(low) && low.every((n) => n === 0)))) return;
  if (!Array.isArray(low)) throw file.fault("attribute Header/NumPart_Total is missing or not an array.");
  // The older formats have 32 bits of each number in either.
  const total = low.map((n, type) => n + 2 ** 32 * (Array.isArray(high) ? (high[type] ?? 0) : 0));
  const type = total.findIndex((n, i) => n !== (found[i] ?? 0));
  if (type >= 0) {
    throw file.fault(
      `Header/NumPart_Total counts ${total[type]} particles of PartType${type}, its files hold ${found[type] ?? 0}.`,
      alone ? INCONSISTENT : "Some of them are of another snapshot, or were not written completely.",
    );
  }
  if (total.every((n) => n === 0))
    throw file.fault("Header/NumPart_Total is 0 for every type: there are no particles.");
}
