/** What the page is told of a result folder besides particles: rows of diagnostics.csv, power spectra, bars, how the run stands. */
import { realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { GravmeshError } from "../base/errors.ts";
import { columns, type DiagnosticsRow } from "../diagnostics/columns.ts";
import { LARGEST_FILE, readRegularFile, textOrNone } from "../io/regular-file.node.ts";
import { summaryIn } from "../run/finished-part.ts";
import { requireUnlocked } from "../run/lock.ts";
import type { About } from "./protocol.ts";

/** Rows of a diagnostics.csv that may have columns that are unknown here, or lack some: no numbers then. */
export function rowsOf(text: string): DiagnosticsRow[] {
  const [head = "", ...lines] = text.split("\n").slice(0, -1);
  const heads = head.split(",");
  const places = columns.records.flatMap(({ name, heads: own }) =>
    own === null
      ? []
      : [{ name, at: Array.isArray(own) ? own.map((one) => heads.indexOf(one)) : heads.indexOf(own as string) }],
  );
  return lines.map((line) => {
    const numbers = line.split(",").map(Number);
    const number = (at: number) => numbers[at] ?? Number.NaN;
    return Object.fromEntries(
      places.map(({ name, at }) => [name, typeof at === "number" ? number(at) : at.map(number)]),
    ) as unknown as DiagnosticsRow;
  });
}

export interface ShownSpectrum {
  time: number;
  k: number[];
  power: number[];
}

/** A power_000.csv; undefined for what isn't one. */
export function spectrumIn(file: string): ShownSpectrum | undefined {
  const text = textOrNone(file) ?? "";
  const time = /^# time ([^;]+);/.exec(text)?.[1];
  const [, head = "", ...lines] = text.split("\n").filter(Boolean);
  const [k, power] = ["k", "power"].map((name) => head.split(",").indexOf(name));
  if (time === undefined || k < 0 || power < 0) return undefined;
  const rows = lines.map((line) => line.split(",").map(Number));
  return { time: Number(time), k: rows.map((row) => row[k]), power: rows.map((row) => row[power]) };
}

export interface ShownBar {
  time: number;
  /** |A₂|/A₀ of all within `bars.within`. */
  strength: number;
}

/** A bars.csv; rows in which there is no disk are left out. */
export function barsOf(text: string): ShownBar[] {
  const [head = "", ...lines] = text.split("\n").slice(0, -1);
  const [time, strength] = ["time", "strengthWithin"].map((name) => head.split(",").indexOf(name));
  if (time < 0 || strength < 0) return [];
  const rows = lines.map((line) => line.split(",").map(Number));
  return rows
    .map((row) => ({ time: row[time], strength: row[strength] }))
    .filter((bar) => Number.isFinite(bar.time) && Number.isFinite(bar.strength));
}

/** How the run in a folder stands: one that nobody writes and that hasn't come to an end was interrupted. */
export function statusOf(folder: string): About["status"] {
  try {
    requireUnlocked(folder);
  } catch {
    return "running";
  }
  const status = summaryIn(folder)?.status;
  return status === "complete" || status === "failed" ? status : "interrupted";
}

/** Size and time of a file, to see whether it has changed; undefined where there is none. */
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
