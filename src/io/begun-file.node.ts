/** An HDF5 file that a run has begun and goes on with: opened for one look or one row, and closed whatever happens. */
import { existsSync } from "node:fs";
import { GravmeshError } from "../base/errors.ts";
import { fileError } from "./files.node.ts";
import { type Hdf5, type Hdf5Dataset, type Hdf5File, hdf5Reason } from "./hdf5.node.ts";

/** How it is opened, and the kind of error where it can't be used. */
export interface BegunFile {
  path: string;
  mode: "r" | "a";
  kind: "io" | "input";
}

/** The result of `use`. Throws "io" or "input". */
export function withBegunFile<T>(hdf5: Hdf5, { path, mode, kind }: BegunFile, use: (file: Hdf5File) => T): T {
  if (!existsSync(path)) throw new GravmeshError(kind, `${path} is missing, which the run has begun.`);
  let file: Hdf5File | undefined;
  try {
    file = new hdf5.File(path, mode);
    const result = use(file);
    const open = file;
    file = undefined;
    open.close();
    return result;
  } catch (cause) {
    try {
      file?.close();
    } catch {
      // The first error is the one to report.
    }
    const reason = hdf5Reason(cause);
    if (kind === "input") throw new GravmeshError("input", `${path} can't be gone on with: ${reason}`, { cause });
    throw fileError("write", path, new Error(reason, { cause }));
  }
}

/** Undefined where there is none of that name. */
export function datasetIn(file: Hdf5File, name: string): Hdf5Dataset | undefined {
  const found = file.get(name);
  return found && "shape" in found ? (found as Hdf5Dataset) : undefined;
}
