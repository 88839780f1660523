/** Snapshots among dropped files: the command line's readers on stand-ins for Node's files (files/*.ts), loaded on demand. */

import type { ReadOptions } from "../../../run/io/snapshot-particles.ts";
import { readSnapshot, snapshotMoment } from "../../../run/io/snapshot-reader.node.ts";
import { partOfName } from "../../../run/io/snapshot-rows.ts";
import { provide } from "./files/fs.ts";
import { mount } from "./files/hdf5.ts";

/** One reading after another: they share what files there are. */
let reading: Promise<unknown> = Promise.resolve();

function among<T>(files: readonly File[], read: () => Promise<T>): Promise<T> {
  const result = reading.then(() => {
    provide(files);
    mount(files);
    return read();
  });
  reading = result.catch(() => {});
  return result;
}

/** A snapshot and all of its files. Throws "input" and "memory". */
export const droppedSnapshot = (files: readonly File[], name: string, options: ReadOptions = {}) =>
  among(files, () => readSnapshot(name, options));

export const droppedMoment = (files: readonly File[], name: string) => among(files, () => snapshotMoment(name));

/** A file of each snapshot, in order of their names: several files may be one. */
export function snapshotNames(files: readonly File[]): string[] {
  const first = new Map<string, string>();
  const names = files.map(({ name }) => name).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  for (const name of names) {
    const whole = partOfName(name)?.whole ?? name;
    if (!first.has(whole)) first.set(whole, name);
  }
  return [...first.values()];
}
