/**
 * The halo catalogue of a run as files: haloes.csv for a look, haloes.hdf5 with full precision. The HDF5 group is called
 * Haloes: readers of snapshots take FOF, Group and Subhalo for their own.
 */
import type { HaloCatalogue } from "../diagnostics/friends-of-friends-catalogue.ts";
import { csvNumber, csvText } from "./csv.ts";
import { writeFileAtomic } from "./files.node.ts";
import { writeAttributes, writeHdf5 } from "./hdf5.node.ts";

const CSV_COLUMNS = [
  ...["id", "members", "mass", "x", "y", "z", "vx", "vy", "vz"],
  ...["rms_radius", "max_radius", "velocity_dispersion"],
];

interface HaloFileInfo {
  /** [time]; scale factor on the comoving clock. */
  time: number;
  units: Record<"length" | "mass" | "velocity", string>;
}

/** One row a halo, heaviest first. */
export function writeHaloesCsv(file: string, catalogue: HaloCatalogue, { time, units }: HaloFileInfo): void {
  const { linkingLength, minimumMembers, positions, velocities } = catalogue;
  const comment =
    `friends of friends at time ${csvNumber(time)}, linking length ${csvNumber(linkingLength)}, at least ${minimumMembers} members; ` +
    `lengths in ${units.length}, masses in ${units.mass}, velocities in ${units.velocity}`;
  const rows = Array.from(catalogue.ids, (id, i) => [
    ...[id, catalogue.members[i], catalogue.masses[i]],
    ...positions.subarray(3 * i, 3 * i + 3),
    ...velocities.subarray(3 * i, 3 * i + 3),
    ...[catalogue.rmsRadii[i], catalogue.maxRadii[i], catalogue.velocityDispersions[i]],
  ]);
  writeFileAtomic(file, csvText(CSV_COLUMNS, rows, comment));
}

/** Writes group Haloes with a dataset a property, units in its attributes. Throws "io" when the file can't be written. */
export async function writeHaloesHdf5(file: string, catalogue: HaloCatalogue, info: HaloFileInfo): Promise<void> {
  const { count, linkingLength, minimumMembers, boxSize, groupsInAll, membersInAll } = catalogue;
  const { length, mass, velocity } = info.units;
  await writeHdf5([file], 2 ** 14 + count * 120, async (hdf5) => {
    const group = hdf5.create_group("Haloes");
    writeAttributes(group, {
      ...{ Time: info.time, LinkingLength: linkingLength, MinimumMembers: minimumMembers },
      ...{ BoxSize: boxSize, GroupsInAll: groupsInAll, MembersInAll: membersInAll },
    });
    const dataset = (name: string, data: Float64Array | Uint32Array, unit = "", width = 1) => {
      const shape = width === 1 ? [count] : [count, width];
      const made = group.create_dataset({ name, data, shape, dtype: data instanceof Uint32Array ? "<I" : "<d" });
      if (unit !== "") writeAttributes(made, { unit });
    };
    dataset("ID", catalogue.ids);
    dataset("Members", catalogue.members);
    dataset("Mass", catalogue.masses, mass);
    dataset("Position", catalogue.positions, length, 3);
    dataset("Velocity", catalogue.velocities, velocity, 3);
    dataset("RmsRadius", catalogue.rmsRadii, length);
    dataset("MaxRadius", catalogue.maxRadii, length);
    dataset("VelocityDispersion", catalogue.velocityDispersions, velocity);
  });
}
