/**
 * Keeps the HDF5 library from opening any file but the one at hand. Data sets may lie elsewhere: in external storage (any
 * file of the machine), behind external links, in the sources of a virtual data set (where missing ones are fill values), and
 * filters in plug-ins. The library opens all of them through its file system, where they are refused.
 */
import type { Hdf5 } from "./hdf5.node.ts";

export class ElsewhereError extends Error {
  constructor(readonly path: string) {
    super(`the data lie in another file, ${path}`);
  }
}

/** Flags of an opening, as musl has them. */
const CREATES = 0o100;
const FOLDER = 0o200000;
/** In the numbers of WASI. */
const ENOENT = 44;

interface Files {
  open(path: string, flags: number, ...more: unknown[]): unknown;
  ErrnoError: new (code: number) => Error;
}

/** Openings that were refused, while a call of `alone` lasts. */
let refused: string[] | undefined;
let watching = false;

function watch(files: Files): void {
  if (watching) return;
  watching = true;
  const open = files.open.bind(files);
  files.open = (path, flags, ...more) => {
    // HDF5 puts its error messages together in temporary files, which it creates.
    if (refused === undefined || (flags & CREATES) !== 0) return open(path, flags, ...more);
    // A folder is where it looks for plug-ins: the filter that is missing is named by the caller.
    if ((flags & FOLDER) === 0) refused.push(path);
    throw new files.ErrnoError(ENOENT);
  };
}

/** The result of `use`, which calls the library. Throws ElsewhereError where it asked for another file. */
export function alone<T>(hdf5: Hdf5, use: () => T): T {
  watch(hdf5.Module.FS as unknown as Files);
  const before = refused;
  const mine: string[] = [];
  refused = mine;
  try {
    const result = use();
    if (mine.length === 0) return result;
  } catch (cause) {
    if (mine.length === 0) throw cause;
  } finally {
    refused = before;
  }
  throw new ElsewhereError(mine[0]);
}
