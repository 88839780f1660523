/** Tables as csv: perhaps a comment, a line of names, then one line a row; numbers with nine significant digits. */
import { GravmeshError } from "../../foundation/base/errors.ts";

const SIGNIFICANT_DIGITS = 9;

/** Text is quoted where it has to be; null and undefined are empty. */
export type CsvField = number | string | null | undefined;

export function csvNumber(value: number, digits = SIGNIFICANT_DIGITS): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : String(value);
}

function fieldText(value: CsvField): string {
  if (typeof value === "number") return csvNumber(value);
  return value && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : (value ?? "");
}

/** The first line, with its line end. */
export const csvHead = (names: readonly string[]): string => `${names.join(",")}\n`;

export const csvLine = (fields: readonly CsvField[]): string => `${fields.map(fieldText).join(",")}\n`;

/** A whole file; the comment stands in the first line behind a #. */
export function csvText(names: readonly string[], rows: readonly (readonly CsvField[])[], comment?: string): string {
  return (comment === undefined ? "" : `# ${comment}\n`) + csvHead(names) + rows.map(csvLine).join("");
}

/** Rows below `names`, the first `finite` numbers finite; a last line that was cut off is dropped. Throws "input". */
export function parseCsv(text: string, names: readonly string[], file: string, finite = 2): number[][] {
  const lines = text.split("\n").slice(0, -1);
  if (lines.length === 0) return [];
  if (`${lines[0]}\n` !== csvHead(names)) {
    throw new GravmeshError(
      "input",
      `${file}: line 1 has columns other than this version's: expected "${names.join(",")}", found "${lines[0]}". ` +
        "Was it written with an --extension?",
    );
  }
  return lines.slice(1).map((line, i) => {
    const fields = line.split(",");
    // Number takes an empty field for 0.
    const values = fields.map((field) => (field.trim() === "" ? Number.NaN : Number(field)));
    const isNumber = (value: number, at: number) => !Number.isNaN(value) || /^\s*(NaN)?\s*$/.test(fields[at]);
    if (values.length !== names.length || !values.slice(0, finite).every(Number.isFinite) || !values.every(isNumber)) {
      throw new GravmeshError("input", `${file}: line ${i + 2} is not a row of ${names.length} numbers: "${line}".`);
    }
    return values;
  });
}

/** A file of numbers under whatever names it has, below a comment if there is one. @throws GravmeshError "input" */
export function numberTable(text: string, file: string, finite = 1) {
  const comment = /^# (.*)\n/.exec(text);
  const table = comment ? text.slice(comment[0].length) : text;
  const names = table.slice(0, Math.max(0, table.indexOf("\n"))).split(",");
  if (names.some((name) => name === "")) throw new GravmeshError("input", `${file}: line 1 has no names of columns.`);
  const rows = parseCsv(table, names, file, finite);
  // A part of a text may hold all of it in memory: names are kept for longer than that.
  return { comment: comment?.[1], names: names.map((name) => Array.from(name).join("")), rows };
}
