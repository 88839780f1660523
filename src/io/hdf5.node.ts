/**
 * The HDF5 library (h5wasm: libhdf5 compiled to WebAssembly), loaded on first use, with its errors thrown as
 * exceptions instead of printed to the console.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type * as H5 from "h5wasm/node";
import { fileError, flushFolder, temporaryName } from "./files.node.ts";

export type Hdf5 = typeof H5;
export type Hdf5File = H5.File;
export type Hdf5Group = H5.Group;
export type Hdf5Dataset = H5.Dataset;

let loading: Promise<Hdf5> | undefined;

/** h5wasm, ready for use. */
export function loadHdf5(): Promise<Hdf5> {
  loading ??= (async () => {
    const hdf5 = await import("h5wasm/node");
    const module = await hdf5.ready;
    module.activate_throwing_error_handler();
    return hdf5;
  })();
  return loading;
}

/** The system's reason, or else the innermost one, in HDF5's many-line error stack. */
export function hdf5Reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const system = /error message = '([^']*)'/.exec(text);
  if (system !== null) return system[1];
  const reasons = [...text.matchAll(/in \w+\(\): (.*)$/gm)].map((m) => m[1]);
  return reasons.at(-1) || text.split("\n")[0] || "the HDF5 library gave no reason";
}

/** Rows [from, to) of a dataset that has `columns`, or (without) one dimension. */
export function rowRanges(from: number, to: number, columns?: number): [number, number][] {
  const rows: [number, number] = [from, to];
  return columns === undefined ? [rows] : [rows, [0, columns]];
}

/** Lets timers and progress lines run between slabs. */
export function breathe(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/**
 * Creates `path` by way of a temporary file that `fill` writes; on any error the temporary file is removed and an
 * older `path` stays as it was. `bytes`: the expected size, for the message of a full disk.
 */
export async function writeHdf5(path: string, bytes: number, fill: (file: Hdf5File) => Promise<void>): Promise<void> {
  const hdf5 = await loadHdf5();
  const temporary = temporaryName(path);
  let file: Hdf5File | undefined;
  try {
    // Opened once without HDF5, whose own message would lack the reason (no folder, no permission).
    closeSync(openSync(temporary, "w"));
    file = new hdf5.File(temporary, "w");
    await fill(file);
    file.flush();
    const open = file;
    file = undefined;
    open.close();
    const handle = openSync(temporary, "r+");
    fsyncSync(handle);
    closeSync(handle);
    renameSync(temporary, path);
  } catch (cause) {
    try {
      file?.close();
    } catch {
      // The first error is the one to report.
    }
    rmSync(temporary, { force: true });
    const system = (cause as { code?: string } | null)?.code !== undefined;
    throw fileError("write", path, system ? cause : new Error(hdf5Reason(cause), { cause }), bytes);
  }
  flushFolder(dirname(path));
}
