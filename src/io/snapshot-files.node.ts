/** What `#snapshot-files` resolves to in Node: HDF5 on the disk. */
import { readSnapshot, writeSnapshot } from "./snapshot.node.ts";
import type { SnapshotFiles } from "./snapshot-particles.ts";

export const snapshotFiles: SnapshotFiles = { readSnapshot, writeSnapshot };
