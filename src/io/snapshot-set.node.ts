/** Snapshots in HDF5: those of gravmesh, GADGET-2 to -4, AREPO, and SWIFT's, whose names are others. */
import { SPECIES } from "../particles/state.ts";
import type { Need, SnapshotSet, TypeColumns } from "./column.ts";
import { gathered, type Header, headerOf, type LookedThrough } from "./file-set.node.ts";
import { dialectOf } from "./hdf5-dialects.node.ts";
import { SnapshotFile } from "./snapshot-file.node.ts";

function columnsOf(file: SnapshotFile, header: Header, need: Need): TypeColumns[] {
  return header.numbers.flatMap((count, type) => {
    if (count === 0) return [];
    const path = `PartType${type}`;
    if (type >= SPECIES.length) {
      throw file.fault(`${path} holds ${count} particles; types 0 to 5 are supported.`);
    }
    if (!file.hasGroup(path))
      throw file.fault(`group ${path} is missing, but Header/NumPart_ThisFile counts ${count} of its particles.`);
    const required = (name: string, width: 1 | 3, advice = "") => {
      const column = file.column(`${path}/${name}`, count, width);
      if (column === undefined) throw file.fault(`dataset ${path}/${name} is missing.`, advice);
      return column;
    };
    const mass = header.table[type];
    const advice = "Header/MassTable is 0 for this type, so each particle needs a mass.";
    return [
      {
        ...{ type, path, count },
        coordinates: required("Coordinates", 3),
        velocities: need === "positions" ? undefined : required("Velocities", 3, "A run can't start without."),
        masses: mass > 0 || need === "positions" ? mass : required("Masses", 1, advice),
        ids: file.column(`${path}/ParticleIDs`, count, 1),
      },
    ];
  });
}

function lookThrough(file: SnapshotFile, need: Need): LookedThrough {
  const { attributes, parameters, velocities, perH } = dialectOf(file);
  const header = headerOf(file, attributes);
  const types = columnsOf(file, header, need);
  const [any] = types;
  const ours = any !== undefined && file.isOurs(any.coordinates);
  const named = { name: file.name, fault: file.fault.bind(file) };
  return { ...named, header, parameters, types, ours, velocities: velocities(types), perH, hasUnits: true };
}

/** Throws "input": a file of the set is missing, damaged, or doesn't go with the others; which and why. */
export function openSet(name: string, need: Need): Promise<SnapshotSet> {
  return gathered("gadget-hdf5", name, async (part) => {
    const file = await SnapshotFile.open(part);
    try {
      return lookThrough(file, need);
    } finally {
      file.close();
    }
  });
}
