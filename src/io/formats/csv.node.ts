/**
 * Tables as text: a line of names, a line a particle; fields parted by commas, semicolons, tabs or blanks. Lines that
 * begin with # are comments; some say what GADGET's headers do (# Time = 0.5), one how many lines there are, and the last
 * before the numbers may be the line of names, as numpy.savetxt writes it. Numbers are written with as many digits as give
 * them back exactly.
 */
import type { FileReading } from "../../deck/file-formats.ts";
import { SPECIES } from "../../particles/state.ts";
import { ByteWriter } from "../byte-writer.node.ts";
import { type Column, type Need, SLAB_ROWS, type Slab, type SnapshotSet } from "../column.ts";
import type { ParameterValue } from "../gadget.ts";
import { printable } from "../regular-file.node.ts";
import { bad } from "../snapshot-file.node.ts";
import { linesOf } from "./csv-lines.node.ts";
import type { FileFormat } from "./format.ts";
import {
  isColumnName,
  isIdName,
  isTypeName,
  setOfTable,
  TABLE_ATTRIBUTES,
  TABLE_TEXTS,
  type Table,
  tableAttributes,
  typeNumber,
} from "./table.ts";
import type { Written } from "./written.ts";

/** How the lines of a file are taken. */
interface Layout {
  separator: string | RegExp;
  names: string[];
  /** Number of the first line with numbers. */
  first: number;
  attributes: Record<string, ParameterValue>;
}

const BLANKS = /\s+/;

/** `# Particles = 8`: nothing else would tell that lines are missing. */
const COUNT = "Particles";

function separatorOf(line: string): string | RegExp {
  return [",", ";", "\t"].find((one) => line.includes(one)) ?? BLANKS;
}

function fieldsOf(line: string, separator: string | RegExp): string[] {
  return (separator === BLANKS ? line.trim() : line).split(separator);
}

const isComment = (line: string) => line.startsWith("#");
/** Nothing, and 0x10, 0o7 and 0b1, which JavaScript takes for numbers. */
const NO_DECIMAL = /^\s*(?:$|[+-]?0[xob])/i;
const decimal = (field: string) => (NO_DECIMAL.test(field) ? Number.NaN : Number(field));
const isNumber = (field: string) => !Number.isNaN(decimal(field));
/** A word in a column that isn't of types is no number. */
const numberIn = (field: string, isType: boolean) => {
  const number = decimal(field);
  if (!isType || !Number.isNaN(number)) return number;
  const type = typeNumber(field.replace(/["']/g, ""));
  return type < 0 ? Number.NaN : type;
};

/** `# Name = value`, where the name is one that means something; what is no number stays as it is. */
function attributeIn(comment: string): [string, number | string] | undefined {
  const [, name, value] = /^#\s*([\w.]+)\s*[=:]\s*(\S+)\s*$/.exec(comment) ?? [];
  if (name === COUNT || TABLE_ATTRIBUTES.includes(name)) return [name, isNumber(value) ? Number(value) : value];
  return TABLE_TEXTS.includes(name) ? [name, value] : undefined;
}

/** What stands above the numbers, and how they are parted. */
async function layoutOf(file: string, columns: readonly string[]): Promise<Layout> {
  const attributes: Layout["attributes"] = {};
  let comment = "";
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
        else comment = line;
        continue;
      }
      const separator = separatorOf(line);
      const fields = fieldsOf(line, separator);
      if (head === undefined && !fields.some(isNumber)) {
        head = fields.map((name) => name.replace(/["']/g, "").trim());
        continue;
      }
      const said = comment.replace(/^#\s*/, "").split(/[\s,;]+/);
      const isHead = said.length === fields.length && said.filter(isColumnName).length > 3;
      const names = columns.length > 0 ? [...columns] : (head ?? (isHead ? said : undefined));
      if (names) return { separator, attributes, first: first + i, names };
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

/** Rows with their line numbers. */
async function* rowsOf(
  file: string,
  { separator, first }: Layout,
): AsyncGenerator<{ fields: string[]; line: number }[]> {
  for await (const piece of linesOf(file)) {
    const rows: { fields: string[]; line: number }[] = [];
    for (const [i, line] of piece.lines.entries()) {
      const number = piece.first + i;
      if (number < first || isComment(line) || line.trim() === "") continue;
      rows.push({ fields: fieldsOf(line, separator), line: number });
    }
    yield rows;
  }
}

/** Numbers that are kept of a table, so that its text is gone through once; a larger one is, for each column. */
const MOST_KEPT = 2 ** 23;

/** All rows, looked at and counted. */
interface Counted {
  count: number;
  /** [count] of each column that is known by its name; undefined where they would be too many. */
  kept: Float64Array[] | undefined;
}

async function counted(file: string, layout: Layout): Promise<Counted> {
  const { names } = layout;
  const wanted = names.map((name) => isColumnName(name));
  const isType = names.map((name) => isTypeName(name));
  const width = wanted.filter(Boolean).length;
  let kept: Float64Array[] | undefined = names.map(() => new Float64Array(0));
  let count = 0;
  for await (const rows of rowsOf(file, layout)) {
    if ((count + rows.length) * width > MOST_KEPT) kept = undefined;
    kept = kept?.map((values, k) => (wanted[k] ? withRoom(values, count + rows.length) : values));
    for (const [i, { fields, line }] of rows.entries()) {
      if (fields.length !== names.length) {
        throw bad(
          file,
          `line ${line} has ${fields.length} fields; expected ${names.length}, ${printable(names.join(", "))}.`,
        );
      }
      for (const [k, field] of fields.entries()) {
        if (!wanted[k]) continue;
        const value = numberIn(field, isType[k]);
        if (kept) kept[k][count + i] = value;
        if (Number.isFinite(value)) continue;
        const expected = isType[k] ? `a number from 0 to 5, or one of ${SPECIES.join(", ")}` : "a finite number";
        throw bad(
          file,
          `line ${line}: ${names[k]} is "${printable(field.trim().slice(0, 40))}"; expected ${expected}.`,
        );
      }
    }
    count += rows.length;
  }
  return { count, kept };
}

/** The same numbers, and room for as many as `length`. */
function withRoom(values: Float64Array, length: number): Float64Array {
  if (length <= values.length) return values;
  const larger = new Float64Array(Math.max(length, 2 * values.length));
  larger.set(values);
  return larger;
}

function columnOf(
  file: string,
  layout: Layout,
  names: readonly string[],
  { count, kept }: Counted,
  path: string,
): Column {
  const places = names.map((name) => layout.names.indexOf(name));
  const isType = isTypeName(names[0]);
  const whole = isIdName(names[0]);
  async function* slabs(): AsyncGenerator<Slab> {
    if (kept && !whole) {
      for (let first = 0; first < count; first += SLAB_ROWS) {
        const values = new Float64Array(Math.min(SLAB_ROWS, count - first) * places.length);
        for (let k = 0; k < values.length; k++)
          values[k] = kept[places[k % places.length]][first + Math.floor(k / places.length)];
        yield { values, first };
      }
      return;
    }
    let first = 0;
    let values: (number | bigint)[] = [];
    for await (const block of rowsOf(file, layout)) {
      // Ids may have more digits than a number has.
      for (const { fields } of block)
        for (const place of places)
          values.push(
            whole && /^\s*\d{16,}\s*$/.test(fields[place]) ? BigInt(fields[place]) : numberIn(fields[place], isType),
          );
      if (values.length < SLAB_ROWS / 8) continue;
      yield { values, first };
      first += values.length / places.length;
      values = [];
    }
    if (values.length > 0) yield { values, first };
  }
  const width = places.length === 3 ? 3 : 1;
  return { path, rows: count, width, real: !whole, size: 8, slabs, fault: (found, advice) => bad(file, found, advice) };
}

async function openCsv(file: string, need: Need, { columns = [] }: FileReading): Promise<SnapshotSet> {
  const layout = await layoutOf(file, columns);
  const all = await counted(file, layout);
  const { [COUNT]: said = all.count, ...attributes } = layout.attributes;
  if (said !== all.count) {
    throw bad(
      file,
      `it says "# ${COUNT} = ${printable(String(said).slice(0, 40))}", and has ${all.count} lines of numbers.`,
      "It is damaged or not whole: copy it again. If you changed it yourself, leave the comment out.",
    );
  }
  const table: Table = {
    ...{ file, format: "csv", count: all.count, names: layout.names, attributes },
    column: (names, path) => columnOf(file, layout, names, all, path),
    fault: (found, advice) => bad(file, found, advice),
  };
  return setOfTable(table, need);
}

async function writeCsv(file: string, written: Written): Promise<string[]> {
  const hasIds = written.idBits !== undefined;
  await ByteWriter.to(file, async (out) => {
    // Names first: NumPy takes a comment in the first line for them.
    // A word last: a line that is cut off there can't pass for a whole one.
    out.text(`x,y,z,vx,vy,vz,mass,${hasIds ? "id," : ""}species\n# ${COUNT} = ${written.count}\n`);
    for (const [name, value] of tableAttributes(written.attributes, written.set.velocities)) {
      out.text(`# ${name} = ${value}\n`);
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
      out.text(lines.join(""));
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
