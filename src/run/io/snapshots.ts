/** Snapshot files for programs: GADGET HDF5, as `gravmesh run` reads and writes it (docs/snapshots.md). In Node alone. */
import * as snapshotFiles from "#snapshot-files";
import { version } from "../../foundation/base/version.ts";
import type { ReadOptions, Snapshot, SnapshotInfo, SnapshotParticles } from "./snapshot-particles.ts";

export type { ReadOptions, Snapshot, SnapshotDeck, SnapshotParticles } from "./snapshot-particles.ts";

/**
 * The particles of a file, types and all; with `units` in those of a deck. Simulation.create takes it as what it starts
 * from: `{ particles: await readSnapshot(file) }`, or as `loadSnapshot`, for decks that name files.
 * Throws "input" for a file that can't be used, with what is missing or damaged, "memory"; "usage" in a browser.
 */
export function readSnapshot(file: string, options: ReadOptions = {}): Promise<Snapshot> {
  return snapshotFiles.readSnapshot(file, options);
}

/**
 * Writes particles, as readParticles() gives them, atomically: an older file stays until the new one is complete.
 * `scenario`: whose units and box they are in; `time`: theirs [time]. Throws "io"; "usage" in a browser.
 */
export function writeSnapshot(
  file: string,
  particles: SnapshotParticles,
  info: Pick<SnapshotInfo, "scenario" | "time">,
): Promise<void> {
  return snapshotFiles.writeSnapshot(file, particles, { ...info, version });
}
