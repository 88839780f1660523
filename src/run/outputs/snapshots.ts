/** snapshot_000.hdf5 …, or snapshot_000.0.hdf5 … where they are several files each: the particles, GADGET-compatible. */
import { join } from "node:path";
import { writeSnapshotBlocks } from "../../io/snapshot.node.ts";
import { partNames } from "../../io/snapshot-parts.ts";
import { idsOfFiles } from "../../io/snapshot-rows.ts";
import { PARTICLE_FIELDS, type ParticleField, type ReadRequest } from "../../particles/blocks.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../simulation.ts";
import { version } from "../../version.ts";
import type { RunOutput } from "./output.ts";

/** Name of snapshot number `index` in a result folder: snapshot_000.hdf5 … */
export function snapshotName(index: number): string {
  return `snapshot_${String(index).padStart(3, "0")}.hdf5`;
}

/** Fields in the order of a file. */
export const inFileOrder = (fields: readonly ParticleField[]): ParticleField[] =>
  PARTICLE_FIELDS.filter((field) => fields.includes(field));

/** What a snapshot has of each particle. */
const fieldsOf = ({ output: { fields, potential } }: Scenario): ParticleField[] =>
  inFileOrder(potential ? [...fields, "potential"] : fields);

/** What is to be read for these fields. */
export const requestFor = (fields: readonly ParticleField[]): ReadRequest => ({
  potential: fields.includes("potential"),
  accelerations: fields.includes("accelerations"),
});

/** The particles of a simulation, but for their blocks. */
export function contentOf({ particleCount: count, components, masses, scenario: { gravity } }: Simulation) {
  return { count, components, masses, bits: gravity === "direct" ? (64 as const) : (32 as const) };
}

/** Files of snapshot number `index` of so many particles. */
function snapshotFiles({ output }: Scenario, particles: number, index: number): string[] {
  return partNames(snapshotName(index), idsOfFiles(particles, output.particlesPerFile).length);
}

export const snapshots: RunOutput = {
  name: "snapshots",
  meaning:
    "the particles in HDF5, as GADGET writes them, at output.snapshots times, after every output.every steps or at output.times",
  files: [/^snapshot_\d{3,}(\.\d+)?\.hdf5$/],
  needs: (reached, scenario, particles) =>
    reached.filter(({ snapshot }) => snapshot).flatMap((_, index) => snapshotFiles(scenario, particles, index)),
  writer({ simulation, folder, resumedAt, written }) {
    const { scenario, outputs, output } = simulation;
    const note = (time: number) => {
      const [file] = snapshotFiles(scenario, simulation.particleCount, written.snapshots.length);
      written.snapshots.push({ file, time });
    };
    // Earlier sessions wrote those of the outputs up to here.
    if (resumedAt !== undefined) {
      for (const { snapshot, time } of outputs.slice(0, output + 1)) if (snapshot) note(time);
    }
    return {
      atSnapshot: async ({ index, time, blocks }) => {
        const fields = fieldsOf(scenario);
        const content = { ...contentOf(simulation), blocks: () => blocks({ ...requestFor(fields), reuse: true }) };
        await writeSnapshotBlocks(join(folder, snapshotName(index)), content, { scenario, time, version, fields });
        note(time);
      },
    };
  },
};
