/** diagnostics.csv: one row an output time; its columns are those of diagnostics/columns.ts. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { columnHeads, type DiagnosticsRow, numbersOf, rowOf } from "../../diagnostics/columns.ts";
import { csvHead, csvLine, parseCsv } from "../../io/csv.ts";
import { LARGEST_FILE, readRegularFile } from "../../io/regular-file.node.ts";
import type { KeptLines } from "./line-file.ts";
import type { RunOutput } from "./output.ts";

export const DIAGNOSTICS_FILE = "diagnostics.csv";

export const diagnostics: RunOutput = {
  name: "diagnostics",
  meaning: "energies, momenta and other sums over the particles, a row at output.diagnostics times",
  files: [DIAGNOSTICS_FILE],
  writer({ folder, lines, written }) {
    const file = lines(DIAGNOSTICS_FILE, csvHead(columnHeads()).trimEnd());
    written.rows.push(...readDiagnostics(join(folder, DIAGNOSTICS_FILE)));
    return {
      atDiagnostics: (row) => {
        const line = lineOf(row);
        file.append(line.trimEnd());
        written.rows.push(...parseDiagnostics(csvHead(columnHeads()) + line)); // as a resumed run has them, who reads them
      },
    };
  },
};

function readDiagnostics(file: string): DiagnosticsRow[] {
  return parseDiagnostics(readRegularFile(file, { what: "The file", limit: LARGEST_FILE }), file);
}

/** Rows up to `step`, of a run whose checkpoints are of version 0.1.0 and don't know them. */
export function rowsUntil(folder: string, step: number): KeptLines | undefined {
  const file = join(folder, DIAGNOSTICS_FILE);
  return existsSync(file) ? { count: readDiagnostics(file).filter((row) => row.step <= step).length } : undefined;
}

/** Rows of a diagnostics.csv. @throws GravmeshError "input" */
export function parseDiagnostics(text: string, file = DIAGNOSTICS_FILE): DiagnosticsRow[] {
  return parseCsv(text, columnHeads(), file).map(rowOf);
}

export function lineOf(row: DiagnosticsRow): string {
  return csvLine(numbersOf(row));
}
