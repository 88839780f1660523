/** What the page shows of a result folder besides particles: rows of diagnostics.csv, power spectra, bars, how the run stands. */
import { realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { columns, type DiagnosticsRow } from "../../engine/diagnostics/columns.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { summaryIn } from "../../run/finished-part.ts";
import { LARGEST_FILE, readRegularFile } from "../../run/io/regular-file.node.ts";
import { requireUnlocked } from "../../run/lock.ts";
import type { About, LiveBar, LiveSpectrum } from "./protocol.ts";

/** A table of numbers under names, of which the last line may be written just now. */
function tableOf(text: string) {
  const [head = "", ...lines] = text.split("\n").slice(0, -1);
  const heads = head.split(",");
  return { place: (name: string) => heads.indexOf(name), rows: lines.map((line) => line.split(",").map(Number)) };
}

/** Rows of a diagnostics.csv that may have columns that are unknown here, or lack some: no numbers then. */
export function rowsOf(text: string): DiagnosticsRow[] {
  const { place, rows } = tableOf(text);
  const places = columns.records.flatMap(({ name, heads }): [string, number | number[]][] =>
    heads === null ? [] : [[name, Array.isArray(heads) ? heads.map(place) : place(heads as string)]],
  );
  return rows.map((row) => {
    const number = (at: number) => row[at] ?? Number.NaN;
    const values = places.map(([name, at]) => [name, typeof at === "number" ? number(at) : at.map(number)]);
    return Object.fromEntries(values) as unknown as DiagnosticsRow;
  });
}

/** A power_000.csv; undefined for what isn't one. */
export function spectrumIn(text: string): LiveSpectrum | undefined {
  const comment = /^# time ([^;]+);.*\n/.exec(text);
  const { place, rows } = tableOf(text.slice(comment?.[0].length));
  const [k, power] = [place("k"), place("power")];
  if (!comment || k < 0 || power < 0) return undefined;
  return { time: Number(comment[1]), k: rows.map((row) => row[k]), power: rows.map((row) => row[power]) };
}

/** A bars.csv; rows without a disk are left out. */
export function barsOf(text: string): LiveBar[] {
  const { place, rows } = tableOf(text);
  const bars = rows.map((row) => ({ time: row[place("time")], strength: row[place("strengthWithin")] }));
  return bars.filter((bar) => Number.isFinite(bar.time) && Number.isFinite(bar.strength));
}

/** The status of the run in a folder: one that no process writes and that hasn't come to an end was interrupted. */
export function statusOf(folder: string): About["status"] {
  try {
    requireUnlocked(folder);
  } catch {
    return "running";
  }
  const status = summaryIn(folder)?.status;
  return status === "complete" || status === "failed" ? status : "interrupted";
}

/** Size and time of a file, by which a change is seen; undefined where there is none. */
export function stampOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? `${found.size} ${found.mtimeMs}` : undefined;
}

/** The path of a folder's file. Throws "input" for a link that leads out of it. */
export function fileWithin(folder: string, name: string): string {
  const file = join(folder, name);
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    throw new GravmeshError("input", `${file} isn't there any more.`);
  }
  if (real.startsWith(`${realpathSync(folder)}${sep}`)) return file;
  throw new GravmeshError("input", `${file} is a link that leads out of the folder; it isn't shown.`);
}

/** A report. Throws "input". */
export function reportIn(folder: string, name: string): Uint8Array {
  const file = fileWithin(folder, name);
  return Buffer.from(readRegularFile(file, { what: "The report", limit: LARGEST_FILE }));
}
