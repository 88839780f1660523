/** diagnostics.csv on disk: grows by whole lines as the run goes, and is cut back to the checkpoint on resume. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  type DiagnosticsRow,
  diagnosticsHeader,
  diagnosticsRow,
  diagnosticsUpTo,
  parseDiagnostics,
} from "../io/csv.ts";
import { fileError, writeFileAtomic } from "../io/files.node.ts";

export class DiagnosticsFile {
  readonly file: string;
  /** All rows so far, those before a resume included. */
  readonly rows: DiagnosticsRow[];

  private constructor(file: string, rows: DiagnosticsRow[]) {
    this.file = file;
    this.rows = rows;
  }

  /** Starts the file anew. */
  static create(file: string): DiagnosticsFile {
    writeFileAtomic(file, diagnosticsHeader);
    return new DiagnosticsFile(file, []);
  }

  /** Continues a file after its last row at or before `step`; later rows belong to a part of the run that is lost. */
  static resume(file: string, step: number): DiagnosticsFile {
    if (!existsSync(file)) return DiagnosticsFile.create(file);
    const kept = diagnosticsUpTo(readFileSync(file, "utf8"), step, file);
    writeFileAtomic(file, kept);
    return new DiagnosticsFile(file, parseDiagnostics(kept, file));
  }

  append(row: DiagnosticsRow): void {
    const line = diagnosticsRow(row);
    try {
      appendFileSync(this.file, line);
    } catch (cause) {
      throw fileError("append to", this.file, cause, line.length);
    }
    this.rows.push(row);
  }
}
