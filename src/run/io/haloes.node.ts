/**
 * The halo catalogue of a run as files: haloes.csv for a look, haloes.hdf5 with full precision. The HDF5 group is called
 * Haloes: readers of snapshots take FOF, Group and Subhalo for their own.
 */
import type { HaloCatalogue } from "../../engine/diagnostics/friends-of-friends-catalogue.ts";
import { csvNumber, csvText } from "./csv.ts";
import { writeFileAtomic } from "./files.node.ts";
import { writeAttributes, writeHdf5 } from "./hdf5.node.ts";

/** What is written of a halo: its name in HDF5, those of its columns, where it is in the catalogue, and its unit. */
const PROPERTIES = [
  { name: "ID", columns: ["id"], of: "ids" },
  { name: "Members", columns: ["members"], of: "members" },
  { name: "Mass", columns: ["mass"], of: "masses", unit: "mass" },
  { name: "Position", columns: ["x", "y", "z"], of: "positions", unit: "length" },
  { name: "Velocity", columns: ["vx", "vy", "vz"], of: "velocities", unit: "velocity" },
  { name: "RmsRadius", columns: ["rms_radius"], of: "rmsRadii", unit: "length" },
  { name: "MaxRadius", columns: ["max_radius"], of: "maxRadii", unit: "length" },
  { name: "VelocityDispersion", columns: ["velocity_dispersion"], of: "velocityDispersions", unit: "velocity" },
] as const;

interface HaloFileInfo {
  /** [time]; scale factor on the comoving clock. */
  time: number;
  units: Record<"length" | "mass" | "velocity", string>;
}

/** One row a halo, heaviest first. */
export function writeHaloesCsv(file: string, catalogue: HaloCatalogue, { time, units }: HaloFileInfo): void {
  const { linkingLength, minimumMembers } = catalogue;
  const comment =
    `friends of friends at time ${csvNumber(time)}, linking length ${csvNumber(linkingLength)}, at least ${minimumMembers} members; ` +
    `lengths in ${units.length}, masses in ${units.mass}, velocities in ${units.velocity}`;
  const rows = Array.from(catalogue.ids, (_, i) =>
    PROPERTIES.flatMap(({ of, columns: { length: n } }) => [...catalogue[of].subarray(n * i, n * i + n)]),
  );
  writeFileAtomic(
    file,
    csvText(
      PROPERTIES.flatMap(({ columns }) => columns),
      rows,
      comment,
    ),
  );
}

/** Writes group Haloes with a dataset a property, units in its attributes. Throws "io" when the file can't be written. */
export async function writeHaloesHdf5(file: string, catalogue: HaloCatalogue, info: HaloFileInfo): Promise<void> {
  const { count, linkingLength, minimumMembers, boxSize, groupsInAll, membersInAll } = catalogue;
  await writeHdf5([file], 2 ** 14 + count * 120, async (hdf5) => {
    const group = hdf5.create_group("Haloes");
    writeAttributes(group, {
      ...{ Time: info.time, LinkingLength: linkingLength, MinimumMembers: minimumMembers },
      ...{ BoxSize: boxSize, GroupsInAll: groupsInAll, MembersInAll: membersInAll },
    });
    for (const { name, columns, of, ...about } of PROPERTIES) {
      const data = catalogue[of];
      const shape = columns.length === 1 ? [count] : [count, columns.length];
      const made = group.create_dataset({ name, data, shape, dtype: data instanceof Uint32Array ? "<I" : "<d" });
      if ("unit" in about) writeAttributes(made, { unit: info.units[about.unit] });
    }
  });
}
