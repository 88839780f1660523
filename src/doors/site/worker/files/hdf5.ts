/** The HDF5 library for browsers in the place of that for Node, with the files that were dropped onto the page. */
import * as h5wasm from "h5wasm";

export const { ready, File, Group, Dataset } = h5wasm;

interface FileSystem {
  filesystems: { WORKERFS: object };
  mkdirTree(path: string): void;
  mount(type: object, options: { files: readonly globalThis.File[] }, path: string): void;
  unmount(path: string): void;
  chdir(path: string): void;
}

export const Module = await ready;
export const FS = Module.FS as unknown as FileSystem;

const FOLDER = "/dropped";
let mounted = false;

/** Shows the library these files, by their names and without a copy. */
export function mount(files: readonly globalThis.File[]): void {
  if (mounted) {
    FS.chdir("/");
    FS.unmount(FOLDER);
  }
  FS.mkdirTree(FOLDER);
  FS.mount(FS.filesystems.WORKERFS, { files }, FOLDER);
  FS.chdir(FOLDER);
  mounted = true;
}
