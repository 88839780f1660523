/** The files of a result folder that particles can be read from at times of a run: snapshots, and subsamples of them. */
import { namesIn } from "./results.ts";

/** A set of several files goes by its first. */
const NAMES = { snapshots: /^snapshot_\d{3,}(\.0)?\.hdf5$/, subsamples: /^subsample_\d{3,}(\.0)?\.hdf5$/ };
export type ParticleFiles = keyof typeof NAMES;

/** Names of the files of a kind in a result folder, in the order of their times. */
export function particleFiles(folder: string, kind: ParticleFiles): string[] {
  return namesIn(folder)
    .filter((name) => NAMES[kind].test(name))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
