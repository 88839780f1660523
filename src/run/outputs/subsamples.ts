/** subsample_000.hdf5 …: every k-th particle, the same ones in each file, at times of their own. */
import { join } from "node:path";
import { version } from "../../base/version.ts";
import { writeSnapshotBlocks } from "../../io/snapshot.node.ts";
import { requestFor } from "../../particles/blocks.ts";
import { everyOf } from "../../particles/source.ts";
import type { RunOutput } from "./output.ts";
import { contentOf, inFileOrder } from "./snapshots.ts";

const nameOf = (index: number) => `subsample_${String(index).padStart(3, "0")}.hdf5`;

export const subsamples: RunOutput = {
  name: "subsamples",
  meaning: "every so-manieth particle, at subsample.count times or those of subsample.times",
  files: [/^subsample_\d{3,}(\.\d+)?\.hdf5$/],
  has: ({ subsample: { every } }) => every > 0,
  writer({ simulation, folder }) {
    const { scenario } = simulation;
    const { every } = scenario.subsample;
    const fields = inFileOrder(scenario.subsample.fields);
    const content = {
      ...{ ...contentOf(simulation), ...everyOf(simulation, every), every },
      blocks: () => simulation.readBlocks({ ...requestFor(fields), every, reuse: true }),
    };
    return {
      at: {
        subsample: async ({ index, time }) => {
          await writeSnapshotBlocks(join(folder, nameOf(index)), content, { scenario, time, version, fields });
        },
      },
    };
  },
};
