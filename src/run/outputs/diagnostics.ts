import { join } from "node:path";
import { columnHeads, type DiagnosticsRow, numbersOf, rowOf } from "../../engine/diagnostics/columns.ts";
import { csvHead, csvLine, parseCsv } from "../io/csv.ts";
import { LARGEST_FILE, readRegularFile } from "../io/regular-file.node.ts";
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
      onRow: (row) => {
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

/** Rows of a diagnostics.csv. @throws GravmeshError "input" */
export function parseDiagnostics(text: string, file = DIAGNOSTICS_FILE): DiagnosticsRow[] {
  return parseCsv(text, columnHeads(), file).map(rowOf);
}

export function lineOf(row: DiagnosticsRow): string {
  return csvLine(numbersOf(row));
}
