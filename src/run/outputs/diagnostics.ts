/** diagnostics.csv: one row an output time; its columns are those of diagnostics/columns.ts. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { columnHeads, type DiagnosticsRow, numbersOf, rowOf } from "../../diagnostics/columns.ts";
import { csvHead, csvLine, parseCsv } from "../../io/csv.ts";
import { LineFile } from "./line-file.ts";
import type { RunOutput } from "./output.ts";

const FILE = "diagnostics.csv";

export const diagnostics: RunOutput = {
  name: "diagnostics",
  meaning: "energies, momenta and other sums over the particles, a row at output.diagnostics times",
  files: [FILE],
  writer({ folder, resumedAt, written }) {
    const file = new DiagnosticsFile(join(folder, FILE), resumedAt);
    written.rows.push(...file.rows);
    return {
      atDiagnostics: (row) => {
        written.rows.push(file.append(row));
      },
    };
  },
};

/** Rows of a diagnostics.csv. @throws GravmeshError "input" */
export function parseDiagnostics(text: string, file = FILE): DiagnosticsRow[] {
  return parseCsv(text, columnHeads(), file).map(rowOf);
}

export class DiagnosticsFile {
  /** Those of before, when it was opened. */
  readonly rows: readonly DiagnosticsRow[];
  readonly #lines: LineFile;

  /** Starts the file anew, or goes on after its last row at or before `step`; later rows are of a lost part. */
  constructor(file: string, step: number | undefined) {
    const goesOn = step !== undefined && existsSync(file);
    this.rows = goesOn ? parseDiagnostics(readFileSync(file, "utf8"), file).filter((row) => row.step <= step) : [];
    this.#lines = new LineFile(file, csvHead(columnHeads()) + this.rows.map(lineOf).join(""));
  }

  /** The row as the file has it. */
  append(row: DiagnosticsRow): DiagnosticsRow {
    this.#lines.append(lineOf(row).trimEnd());
    return rowOf(numbersOf(row));
  }
}

export function lineOf(row: DiagnosticsRow): string {
  return csvLine(numbersOf(row));
}
