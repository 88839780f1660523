/** snapshot_000.hdf5 …: the particles, in several files (snapshot_000.0.hdf5 …) where the ranks or the deck want it. */
import { basename, join } from "node:path";
import { version } from "../../foundation/base/version.ts";
import { shareOf } from "../../foundation/ranks/ranks.ts";
import { PARTICLE_FIELDS, type ParticleColumn, requestFor } from "../../physics/particles/blocks.ts";
import { everyOf } from "../../physics/particles/source.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { removeFile } from "../io/files.node.ts";
import { writeSnapshotBlocks } from "../io/snapshot.node.ts";
import { writeSnapshotOfRanks } from "../io/snapshot-of-ranks.node.ts";
import { idsOfFiles, partNames, partOfName } from "../io/snapshot-rows.ts";
import { namesIn } from "../results.ts";
import { requireSharedFolder } from "../shared-folder.ts";
import type { RunOutput } from "./output.ts";

const FILES = /^snapshot_\d{3,}(\.\d+)?\.hdf5$/;

export const snapshotName = (index: number) => `snapshot_${String(index).padStart(3, "0")}.hdf5`;

const inFileOrder = (fields: readonly ParticleColumn[]): ParticleColumn[] =>
  PARTICLE_FIELDS.filter((field) => fields.includes(field));

const fieldsOf = ({ output: { fields, potential } }: Scenario): ParticleColumn[] =>
  inFileOrder(potential ? [...fields, "potential"] : fields);

function contentOf({ particleCount: count, components, masses, scenario: { gravity } }: Simulation) {
  return { count, components, masses, bits: gravity === "direct" ? (64 as const) : (32 as const) };
}

interface Kept {
  /** Numbers of files of the snapshots so far. */
  files: number[];
}

/** Files of snapshot number `index`; of those of a version that didn't keep their number, as many as one process writes. */
function filesOf(scenario: Scenario, particles: number, kept: unknown, index: number): string[] {
  const known = (kept as Partial<Kept> | undefined)?.files?.[index];
  const alone = () => idsOfFiles(particles, scenario.output.particlesPerFile).length;
  return partNames(snapshotName(index), Number.isSafeInteger(known) ? known! : alone());
}

/** Removes the files that the snapshot had before, when other ranks wrote it. */
function removeOthers(folder: string, index: number, written: readonly string[]): void {
  const name = snapshotName(index);
  for (const file of namesIn(folder)) {
    const same = FILES.test(file) && (file === name || partOfName(file)?.whole === name);
    if (same && !written.includes(file)) removeFile(join(folder, file));
  }
}

export const snapshots: RunOutput = {
  name: "snapshots",
  meaning:
    "the particles in HDF5, as GADGET writes them, at output.snapshots times, after every output.every steps or at output.times",
  files: [FILES],
  needs: (reached, scenario, particles, kept) =>
    reached.filter(({ snapshot }) => snapshot).flatMap((_, index) => filesOf(scenario, particles, kept, index)),
  writer({ simulation, folder, resumedAt, kept, written }) {
    const { scenario, outputs, output, particleCount: count, ranks } = simulation;
    const ask = scenario.output.filePerRank ? simulation.onRanks : undefined;
    const shares = Array.from({ length: ranks }, (_, rank) => shareOf(count, { rank, size: ranks }));
    const numbers: number[] = [];
    const note = (files: readonly string[], time: number) => {
      numbers.push(files.length);
      written.snapshots.push({ file: files[0], time });
    };
    // Earlier sessions wrote those of the outputs up to here.
    if (resumedAt !== undefined) {
      for (const { snapshot, time } of outputs.slice(0, output + 1))
        if (snapshot) note(filesOf(scenario, count, kept, numbers.length), time);
    }
    let shared = ask === undefined;
    const requireShared = async () => {
      if (!shared) await requireSharedFolder(ask!, folder);
      shared = true;
    };
    return {
      beforeSteps: requireShared,
      atSnapshot: async ({ index, time, blocks }) => {
        await requireShared();
        const fields = fieldsOf(scenario);
        const content = { ...contentOf(simulation), blocks: () => blocks({ ...requestFor(fields), reuse: true }) };
        const info = { scenario, time, version, fields, cores: await simulation.levelCores() };
        const whole = join(folder, snapshotName(index));
        const paths = ask
          ? await writeSnapshotOfRanks(ask, shares, whole, { content, info })
          : await writeSnapshotBlocks(whole, content, info);
        const files = paths.map((path) => basename(path));
        removeOthers(folder, index, files);
        note(files, time);
      },
      keep: (): Kept => ({ files: numbers }),
    };
  },
};

export const subsamples: RunOutput = {
  name: "subsamples",
  meaning: "one particle in subsample.every, at subsample.count times or those of subsample.times",
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
          const file = join(folder, `subsample_${String(index).padStart(3, "0")}.hdf5`);
          const cores = await simulation.levelCores();
          await writeSnapshotBlocks(file, content, { scenario, time, version, fields, cores });
        },
      },
    };
  },
};
