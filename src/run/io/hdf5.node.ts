/**
 * The HDF5 library (h5wasm: libhdf5 compiled to WebAssembly), loaded on first use, with its errors thrown as
 * exceptions instead of printed to the console.
 */
import type * as H5 from "h5wasm/node";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { fileError, newTemporary, publishAll, removeLeftover, type Unpublished } from "./files.node.ts";
import { keepWriteErrors } from "./hdf5-system-errors.node.ts";

export type Hdf5 = typeof H5;
export type Hdf5File = H5.File;
export type Hdf5Group = H5.Group;
export type Hdf5Dataset = H5.Dataset;

/**
 * The attribute that tells that a dataset of ours still holds what was written: the SHA-256 of its bytes, row by row.
 * HDF5's own fletcher32 sums each chunk for every reader, but takes one that was zeroed, its sum included, for sound, and
 * 0x0000 for 0xffff.
 */
export const DIGEST = "sha256";

let loading: Promise<Hdf5> | undefined;
let takeWriteError: (() => Error | undefined) | undefined;

export function loadHdf5(): Promise<Hdf5> {
  loading ??= import("h5wasm/node").then(async (hdf5) => {
    const library = await hdf5.ready;
    library.activate_throwing_error_handler();
    stopClock(library as unknown as Record<string, (...given: unknown[]) => unknown>);
    takeWriteError = keepWriteErrors(hdf5.FS as unknown as Parameters<typeof keepWriteErrors>[0]);
    return hdf5;
  });
  return loading;
}

/**
 * HDF5 notes in every object when it was made and changed, which h5wasm can't switch off (H5Pset_obj_track_times): two files of the
 * same content would differ. What makes or changes something sees the clock stand at 0.
 */
function stopClock(library: Record<string, (...given: unknown[]) => unknown>): void {
  for (const name of Object.keys(library).filter((one) =>
    /^(_H5F|create_|set_|resize_|delete_|open|close_file|flush)/.test(one),
  )) {
    const original = library[name];
    library[name] = (...given) => {
      const { now } = Date;
      Date.now = () => 0;
      try {
        return original(...given);
      } finally {
        Date.now = now;
      }
    };
  }
}

/** The system's reason, or else the innermost one, in HDF5's many-line error stack. */
export function hdf5Reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const system = /error message = '([^']*)'/.exec(text);
  if (system !== null) return system[1];
  const reasons = [...text.matchAll(/in \w+\(\): (.*)$/gm)].map((m) => m[1]);
  return reasons.at(-1) || text.split("\n")[0] || "the HDF5 library gave no reason";
}

/** Rows [from, to) of a dataset whose rows have this shape; [] are numbers. */
export const rowRanges = (from: number, to: number, shape: readonly number[]): [number, number][] => [
  [from, to],
  ...shape.map((side): [number, number] => [0, side]),
];

/** Attributes from plain values: float64, text, or whole numbers in the type of their array. */
export function writeAttributes(
  target: Hdf5Group | Hdf5Dataset,
  values: Readonly<Record<string, AttributeValue>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") writeText(target, name, value);
    else if (typeof value === "number") target.create_attribute(name, Float64Array.of(value), [], "<d");
    else if (value instanceof Int32Array) target.create_attribute(name, value, [], "<i");
    else if (value instanceof Uint32Array) target.create_attribute(name, value, [value.length], "<I");
    else if (value instanceof BigUint64Array) target.create_attribute(name, value, [value.length], "<Q");
    else target.create_attribute(name, Float64Array.from(value), [value.length], "<d");
  }
}

/** One Int32 stands for itself, the others are lists. */
export type AttributeValue =
  | number
  | string
  | readonly number[]
  | Float64Array
  | Int32Array
  | Uint32Array
  | BigUint64Array;

/** HDF5 keeps an attribute in an object header message, which ends at 64 KiB. */
const LONGEST_TEXT = 32_000;

function writeText(target: Hdf5Group | Hdf5Dataset, name: string, text: string): void {
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_TEXT));
  // Fixed length: yt fails on variable-length text. HDF5 has no text of length 0.
  target.create_attribute(name, text.slice(0, read) || " ", [], `S${Math.max(1, written)}`);
}

/** Undefined where there is none of that name. */
export function datasetIn(file: Hdf5File, name: string): Hdf5Dataset | undefined {
  const found = file.get(name);
  return found && "shape" in found ? (found as Hdf5Dataset) : undefined;
}

/** Closes a file after an error, which is the one to report: another one, of closing it, isn't. */
export function closeQuietly(file: Hdf5File | undefined): void {
  try {
    file?.close();
  } catch {}
}

/** Lets timers and progress lines run between slabs. */
export function breathe(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Creates files that appear together, `fill` writes each; on any error older ones stay. `bytes`: size of all. */
export async function writeHdf5(
  paths: readonly string[],
  bytes: number,
  fill: (file: Hdf5File, index: number) => Promise<void>,
): Promise<void> {
  publishAll(await fillHdf5(paths, bytes, fill), bytes);
}

/** The same under temporary names, which are to be published; on any error they are removed. */
export async function fillHdf5(
  paths: readonly string[],
  bytes: number,
  fill: (file: Hdf5File, index: number) => Promise<void>,
): Promise<Unpublished[]> {
  const hdf5 = await loadHdf5();
  const files: Unpublished[] = [];
  let file: Hdf5File | undefined;
  let at = paths[0];
  takeWriteError?.(); // of an earlier file
  try {
    for (const [index, path] of paths.entries()) {
      at = path;
      // Made without HDF5, whose own message would lack the reason (no folder, no permission).
      const temporary = newTemporary(path);
      files.push({ path, temporary });
      // Headers in HDF5 1.8's format (2008) have checksums, those before have none.
      file = new hdf5.File(temporary, "w", { libver: ["v108", "v110"] });
      await fill(file, index);
      file.flush();
      file.close();
      file = undefined;
    }
    return files;
  } catch (cause) {
    closeQuietly(file);
    for (const { temporary } of files) removeLeftover(temporary);
    // What is wrong with the rows themselves is no fault of the file.
    if (cause instanceof GravmeshError) throw cause;
    const system = (cause as { code?: string } | null)?.code === undefined ? takeWriteError?.() : cause;
    throw fileError("write", at, system ?? new Error(hdf5Reason(cause), { cause }), bytes);
  }
}
