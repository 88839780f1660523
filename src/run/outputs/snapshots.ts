/** snapshot_000.hdf5 …: the particles, GADGET-compatible. */
import { join } from "node:path";
import { writeSnapshot } from "../../io/snapshot.node.ts";
import { version } from "../../version.ts";
import type { RunOutput } from "./output.ts";

/** Name of snapshot number `index` in a result folder: snapshot_000.hdf5 … */
export function snapshotName(index: number): string {
  return `snapshot_${String(index).padStart(3, "0")}.hdf5`;
}

export const snapshots: RunOutput = {
  name: "snapshots",
  meaning: "the particles in HDF5, as GADGET writes them, at output.snapshots times",
  files: [/^snapshot_\d{3,}\.hdf5$/],
  needs: (reached) => reached.filter(({ snapshot }) => snapshot).map((_, index) => snapshotName(index)),
  writer({ simulation, folder, resumedAt, written }) {
    const { scenario, outputs, output } = simulation;
    const note = (time: number) => written.snapshots.push({ file: snapshotName(written.snapshots.length), time });
    // Earlier sessions wrote those of the outputs up to here.
    if (resumedAt !== undefined) {
      for (const { snapshot, time } of outputs.slice(0, output + 1)) if (snapshot) note(time);
    }
    return {
      atSnapshot: async ({ index, time, particles }) => {
        await writeSnapshot(join(folder, snapshotName(index)), particles, { scenario, time, version });
        note(time);
      },
    };
  },
};
