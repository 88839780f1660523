/**
 * Tables as text: a line of names, a line a particle; fields parted by commas, semicolons, tabs or blanks. Lines that
 * begin with # are comments; some say what GADGET's headers do (# Time = 0.5), one how many lines there are, and one before
 * the numbers may be the line of names, as numpy.savetxt writes it, and the next one of units, as AMUSE does. Numbers are written with as many digits as give
 * them back exactly.
 */
import type { FileReading } from "../../../foundation/deck/file-formats.ts";
import { MEASURED_DIMENSIONS, type MeasuredDimension, measureOf } from "../../../foundation/deck/measures.ts";
import { SPECIES } from "../../../physics/particles/state.ts";
import { ByteFile } from "../byte-file.node.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import type { CheckedColumn, Need, Slab, SnapshotSet } from "../column.ts";
import { type ParameterValue, UNIT_NAMES } from "../gadget.ts";
import { breathe } from "../hdf5.node.ts";
import { bad, printable } from "../regular-file.node.ts";
import type { FileFormat } from "./format.ts";
import {
  dimensionOf,
  isColumnName,
  isIdName,
  isTypeName,
  setOfTable,
  TABLE_ATTRIBUTES,
  TABLE_TEXTS,
  type TableFile,
  tableAttributes,
  typeNumber,
} from "./table.ts";
import type { Written } from "./written.ts";

const BLANKS = /\s+/;

/** `# Particles = 8`: nothing else would tell that lines are missing. */
const COUNT = "Particles";

function fieldsOf(line: string, separator: string | RegExp): string[] {
  return (separator === BLANKS ? line.trim() : line).split(separator);
}

const isComment = (line: string) => line.startsWith("#");
/** Nothing, and 0x10, 0o7 and 0b1, which JavaScript takes for numbers. */
const NO_DECIMAL = /^\s*(?:$|[+-]?0[xob])/i;
/** Fortran writes 1.5D-3, and 1.5-300 where an exponent has three digits. */
const FORTRAN = /^(\s*[+-]?(?:\d+\.?\d*|\.\d+))(?:[dD]([+-]?\d+)|([+-]\d{3}))\s*$/;
function decimal(field: string): number {
  const number = NO_DECIMAL.test(field) ? Number.NaN : Number(field);
  return Number.isNaN(number) && FORTRAN.test(field) ? Number(field.replace(FORTRAN, "$1e$2$3")) : number;
}
const isNumber = (field: string) => !Number.isNaN(decimal(field));
const PIECE = 2 ** 20;
const LONGEST_LINE = 2 ** 16;
const NO_TABLE = "Is it a table of numbers?";

/** All lines, without their ends, and the number of the first of them, from 1. Throws "input" for what is no text. */
async function* linesOf(name: string): AsyncGenerator<{ lines: string[]; first: number }> {
  const file = ByteFile.open(name);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  let first = 1;
  try {
    for (let at = 0; at < file.bytes; at += PIECE) {
      const more = at + PIECE < file.bytes;
      let lines: string[];
      try {
        lines = (rest + decoder.decode(file.readUpTo(at, PIECE), { stream: more })).split(/\r?\n/);
      } catch {
        throw file.fault(`the text after line ${first} is not UTF-8.`, NO_TABLE);
      }
      rest = more ? lines.pop()! : "";
      if (rest.length > LONGEST_LINE) {
        throw file.fault(`line ${first + lines.length} has more than ${LONGEST_LINE} bytes.`, NO_TABLE);
      }
      if (!more && lines.at(-1) === "") lines.pop();
      yield { lines, first };
      first += lines.length;
      await breathe();
    }
  } finally {
    file.close();
  }
}

/** `# Name = value`, where the name is one that means something; what is no number stays as it is. */
function attributeIn(comment: string): [string, number | string] | undefined {
  const [, name, value] = /^#\s*([\w.]+)\s*[=:]\s*(\S+)\s*$/.exec(comment) ?? [];
  if (name === COUNT || TABLE_ATTRIBUTES.includes(name)) return [name, isNumber(value) ? Number(value) : value];
  return TABLE_TEXTS.includes(name) ? [name, value] : undefined;
}

type Layout = Awaited<ReturnType<typeof layoutOf>>;

/** Lines above a table that say how many particles there are, of how many dimensions, at what time, in one or each alone. */
const MOST_COUNTS = 3;
const isCount = (fields: readonly string[]) =>
  fields.length <= MOST_COUNTS && fields.every(isNumber) && Number.isSafeInteger(decimal(fields[0]));

/** The fields of a comment; AMUSE writes units such as m * s**-1. */
const wordsIn = (comment: string) =>
  comment
    .replace(/^#\s*/, "")
    .replace(/\s+([*/])\s+/g, "$1")
    .trim()
    .split(/[\s,;]+/);

async function layoutOf(file: string, { columns = [], units }: FileReading) {
  const attributes: Record<string, ParameterValue> = {};
  const comments: string[] = [];
  const counts: number[] = [];
  let head: string[] | undefined;
  for await (const { lines, first } of linesOf(file)) {
    for (const [i, line] of lines.entries()) {
      if (line.trim() === "") continue;
      if (isComment(line)) {
        const found = attributeIn(line);
        if (found && found[0] in attributes) {
          throw bad(file, `line ${first + i} says ${found[0]} again.`, "Leave one of the two comments out.");
        }
        if (found) attributes[found[0]] = found[1];
        else comments.push(line);
        continue;
      }
      const separator = [",", ";", "\t"].find((one) => line.includes(one)) ?? BLANKS;
      const fields = fieldsOf(line, separator);
      if (head === undefined && !fields.some(isNumber)) {
        head = fields.map((name) => name.replace(/["']/g, "").trim());
        continue;
      }
      const said = comments.map(wordsIn).filter(({ length }) => length === fields.length);
      const above = said.findLastIndex((words) => words.filter(isColumnName).length > 3);
      const names = columns.length > 0 ? [...columns] : (head ?? said[above]);
      if (!head && isCount(fields) && names?.length !== fields.length && counts.length < MOST_COUNTS) {
        counts.push(decimal(fields[0]));
        continue;
      }
      if (names) {
        if (counts.length > 0) attributes[COUNT] ??= counts[0];
        const own = typeof units === "object" ? {} : unitsOf(names, said.slice(above + 1), file);
        return { separator, attributes: { ...own, ...attributes }, first: first + i, names };
      }
      throw bad(
        file,
        `line ${first + i} has ${fields.length} fields, and nothing says what they are.`,
        'Add a line of names above it, or name them beside file: columns = ["x", "y", "z", "vx", "vy", "vz", "mass"] (--columns).',
      );
    }
  }
  const found =
    head === undefined
      ? "it has no lines with numbers."
      : `it has a line of ${head.length} names, and none with numbers.`;
  throw bad(file, found, "Expected a table with a line for each particle.");
}

/** What a line of units below the names says, in GADGET's names. Throws "input" where some of them aren't known, or differ. */
function unitsOf(names: readonly string[], lines: readonly string[][], file: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const words of lines) {
    const sizes = words.map((word, i) => sizeOf(dimensionOf(names[i]), word));
    if (sizes.every((size) => size === undefined)) continue;
    for (const [i, name] of names.entries()) {
      const dimension = dimensionOf(name);
      if (!dimension) continue;
      const unit = UNIT_NAMES[MEASURED_DIMENSIONS.indexOf(dimension)];
      const size = sizes[i];
      if (size === undefined || (found[unit] ?? size) !== size) {
        throw bad(
          file,
          `a comment says that ${name} is in ${printable(words[i].slice(0, 40))}; expected one unit of ${dimension} that is known.`,
          'Name the units beside file: units = { length = "pc", mass = "Msun", velocity = "km/s" } (--units).',
        );
      }
      found[unit] = size;
    }
  }
  return found;
}

/** The size of a unit as AMUSE writes it: parsec, MSun, kms, m*s**-1. */
function sizeOf(dimension: MeasuredDimension | undefined, word: string): number | undefined {
  const usual = word
    .replace(/parsec/i, "pc")
    .replace(/^kms$/i, "km/s")
    .replace(/\*(\w+)\*\*-1$/, "/$1");
  const measure = dimension && measureOf(dimension, usual);
  return typeof measure === "object" && !measure.perH ? measure.size : undefined;
}

/** A field in a column of that name: a number, a type by its name, an id of more digits than a number has. */
function numberOf(field: string, { isType, isId }: Place): number | bigint {
  if (isId && /^\s*\d{16,}\s*$/.test(field)) return BigInt(field);
  const number = decimal(field);
  if (!isType || !Number.isNaN(number)) return number;
  const type = typeNumber(field.replace(/["']/g, ""));
  return type < 0 ? Number.NaN : type;
}

/** Columns that are known by their names: their places in a line. */
const placesOf = ({ names }: Layout) =>
  [...new Set(names.filter(isColumnName))].map((name) => {
    return { name, at: names.indexOf(name), isType: isTypeName(name), isId: isIdName(name) };
  });
type Place = ReturnType<typeof placesOf>[number];

/** Numbers of these columns, row by row, some rows at a time. Throws "input" for lines that aren't of the table. */
async function* valuesIn(file: string, layout: Layout, places: readonly Place[]): AsyncGenerator<(number | bigint)[]> {
  const { names, separator, first } = layout;
  for await (const piece of linesOf(file)) {
    const values: (number | bigint)[] = [];
    for (const [i, text] of piece.lines.entries()) {
      const line = piece.first + i;
      if (line < first || isComment(text) || text.trim() === "") continue;
      const fields = fieldsOf(text, separator);
      if (fields.length !== names.length) {
        const expected = `expected ${names.length}, ${printable(names.join(", "))}`;
        throw bad(file, `line ${line} has ${fields.length} fields; ${expected}.`);
      }
      for (const place of places) {
        const value = numberOf(fields[place.at], place);
        values.push(value);
        if (typeof value === "bigint" || Number.isFinite(value)) continue;
        const found = printable(fields[place.at].trim().slice(0, 40));
        const expected = place.isType ? `a number from 0 to 5, or one of ${SPECIES.join(", ")}` : "a finite number";
        throw bad(file, `line ${line}: ${place.name} is "${found}"; expected ${expected}.`);
      }
    }
    yield values;
  }
}

/** A table of at most so many numbers is kept, so that its text is read once; a larger one is read again for each column. */
const MOST_KEPT = 2 ** 23;

/** All rows of the columns that are known by their names, looked at, and counted. */
async function counted(file: string, layout: Layout) {
  const places = placesOf(layout);
  let kept: (number | bigint)[][] | undefined = [];
  let count = 0;
  for await (const values of valuesIn(file, layout, places)) {
    count += values.length / Math.max(1, places.length);
    if (count * places.length > MOST_KEPT) kept = undefined;
    kept?.push(values);
  }
  const column = (wanted: readonly string[], path: string): CheckedColumn => {
    const own = wanted.map((name) => places.findIndex((place) => place.name === name));
    const width = own.length === 3 ? 3 : 1;
    async function* slabs(): AsyncGenerator<Slab> {
      let first = 0;
      for await (const all of kept ?? valuesIn(file, layout, places)) {
        const rows = all.length / places.length;
        const values = Array.from(
          { length: rows * width },
          (_, k) => all[Math.floor(k / width) * places.length + own[k % width]],
        );
        if (rows > 0) yield { values, first };
        first += rows;
      }
    }
    const real = !isIdName(wanted[0]);
    return { path, rows: count, width, real, size: 8, slabs, fault: (found, advice) => bad(file, found, advice) };
  };
  return { count, column };
}

async function openCsv(file: string, need: Need, as: FileReading): Promise<SnapshotSet> {
  const layout = await layoutOf(file, as);
  const { count, column } = await counted(file, layout);
  const { [COUNT]: said = count, ...attributes } = layout.attributes;
  if (said !== count) {
    throw bad(
      file,
      `it says that there are ${printable(String(said).slice(0, 40))} particles, and has ${count} lines of numbers.`,
      "It is damaged or not whole: copy it again. If you changed it yourself, leave that line out.",
    );
  }
  const table: TableFile = {
    ...{ file, format: "csv", count, names: layout.names, attributes, column },
    fault: (found, advice) => bad(file, found, advice),
  };
  return setOfTable(table, need);
}

async function writeCsv(file: string, written: Written): Promise<string[]> {
  const hasIds = written.idBits !== undefined;
  await ByteWriter.to(file, async (out) => {
    // Names first: NumPy takes a comment in the first line for them.
    // A word last: a line that is cut off there can't pass for a whole one.
    out.write(`x,y,z,vx,vy,vz,mass,${hasIds ? "id," : ""}species\n# ${COUNT} = ${written.count}\n`);
    for (const [name, value] of tableAttributes(written.attributes, written.set.velocities)) {
      out.write(`# ${name} = ${value}\n`);
    }
    for await (const rows of written.rows(["coordinates", "velocities", "masses", "ids"])) {
      const lines: string[] = [];
      const { coordinates: x, velocities: v } = rows;
      for (let i = 0, k = 0; i < rows.count; i++, k += 3) {
        const id = hasIds ? `,${rows.ids[i]}` : "";
        const place = `${x[k]},${x[k + 1]},${x[k + 2]}`;
        const speed = `${v[k]},${v[k + 1]},${v[k + 2]}`;
        lines.push(`${place},${speed},${rows.masses[i]}${id},${SPECIES[rows.of.type]}\n`);
      }
      out.write(lines.join(""));
    }
  });
  return [];
}

export const csv: FileFormat = {
  name: "csv",
  about: "text, a line a particle",
  endings: [".csv", ".txt", ".dat", ".tsv"],
  gadget: false,
  hasUnits: true,
  passes: 1,
  recognise: ({ bytes }) => bytes.length > 0 && bytes.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13)),
  open: openCsv,
  write: writeCsv,
};
