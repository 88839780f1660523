/**
 * Snapshots in HDF5. Those of gravmesh, GADGET-2 to -4, AREPO and SWIFT are read. They are written with what the source
 * says of itself, as runs write theirs (docs/snapshots.md), without the sums that tell a run's own files.
 */
import type { FileReading } from "../../../foundation/deck/file-formats.ts";
import { SPECIES } from "../../../physics/particles/state.ts";
import { FIELDS, type Need, type SnapshotSet, type TypeColumns } from "../column.ts";
import { frameOf, isSet } from "../file-frame.ts";
import { fileSetOf, type Header, headerOf } from "../file-set.node.ts";
import { flagsOf, PARTICLE_TYPES, type ParameterValue, UNIT_NAMES } from "../gadget.ts";
import { DIGEST, type Hdf5File, writeAttributes, writeHdf5 } from "../hdf5.node.ts";
import { dialectOf } from "../hdf5-dialects.node.ts";
import { ColumnRows } from "../snapshot-columns.node.ts";
import { SIGNATURE, SnapshotFile } from "../snapshot-file.node.ts";
import { numbersByType } from "../snapshot-rows.ts";
import type { FileFormat } from "./format.ts";
import { NUMBERS, numberSaid, type Written } from "./written.ts";

/** Names that EAGLE and SWIFT have for GADGET's data sets. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  Velocities: ["Velocity"],
  Masses: ["Mass", "DynamicalMasses"],
};

function columnsOf(file: SnapshotFile, header: Header, need: Need, wanted: FileReading["types"]): TypeColumns[] {
  return header.numbers.flatMap((count, type) => {
    if (count === 0 || (wanted?.length && !wanted.includes(type))) return [];
    const path = `PartType${type}`;
    if (type >= SPECIES.length) {
      throw file.fault(`${path} holds ${count} particles; types 0 to 5 are supported.`);
    }
    if (file.attributes(path) === undefined)
      throw file.fault(`group ${path} is missing, but Header/NumPart_ThisFile counts ${count} of its particles.`);
    const found = (name: string, width: 1 | 3) => {
      for (const known of [name, ...(ALSO[name] ?? [])]) {
        const column = file.column(`${path}/${known}`, count, width);
        if (column !== undefined) return column;
      }
    };
    const required = (name: string, width: 1 | 3, advice: string) => {
      const column = found(name, width);
      if (column === undefined) throw file.fault(`dataset ${path}/${name} is missing.`, advice);
      return column;
    };
    const others = header.numbers.flatMap((n, other) => (n > 0 && other !== type ? [other] : [])).join(", ");
    const without = others && `To read the others alone: types = [${others}] (--types ${others.replaceAll(" ", "")}).`;
    const mass = header.table[type];
    const advice = "Header/MassTable is 0 for this type, so each particle needs a mass.";
    return [
      {
        ...{ type, path, count },
        coordinates: required("Coordinates", 3, without),
        velocities: need === "positions" ? undefined : required("Velocities", 3, "A run can't start without."),
        masses: mass > 0 || need === "positions" ? mass : required("Masses", 1, advice),
        doubled: mass > 0 && need === "start" ? found("Masses", 1) : undefined,
        ids: file.column(`${path}/ParticleIDs`, count, 1),
      },
    ];
  });
}

/** Throws "input": a file of the set is missing, damaged, or doesn't go with the others; which and why. */
function openSet(name: string, need: Need, { types: wanted }: FileReading): Promise<SnapshotSet> {
  return fileSetOf("gadget-hdf5", name, async (part) => {
    const file = await SnapshotFile.open(part);
    try {
      const { attributes, parameters, velocities, perH } = dialectOf(file);
      const header = headerOf(file, attributes);
      const types = columnsOf(file, header, need, wanted);
      const [any] = types;
      const ours = any !== undefined && DIGEST in file.attributesOfDataset(any.coordinates.path);
      const fault = file.fault.bind(file);
      return {
        name: part,
        fault,
        header,
        parameters,
        types,
        ours,
        velocities: velocities(types),
        perH,
        hasUnits: true,
      };
    } finally {
      file.close();
    }
  });
}

const METADATA_BYTES = 65_536;
/** Attributes of /Header; all others stand in /Parameters. */
const OF_HEADER = /^(Time|Redshift|BoxSize|NumPart_.*|MassTable|NumFilesPerSnapshot|Flag_.*|Code|.*-factor)$/;

/** `comoving` is undefined where it isn't known, and isn't written then. */
function writeHeader(file: Hdf5File, written: Written, comoving: boolean | undefined): void {
  const said = written.attributes;
  const numbers = numbersByType(written.types);
  const table = new Float64Array(PARTICLE_TYPES);
  for (const { type, mass = 0 } of written.types) table[type] = mass;
  const number = (name: string, otherwise?: number) => numberSaid(written, name, otherwise);
  const time = number("Time");
  const background = {
    ...{ Omega0: number("Omega0"), OmegaLambda: number("OmegaLambda"), HubbleParam: number("HubbleParam", 1) },
  };
  writeAttributes(file.create_group("Header"), {
    ...{ NumPart_ThisFile: numbers, NumPart_Total: numbers, MassTable: table, Time: time },
    ...{ ...background, ...flagsOf(written.bits("coordinates") === 64) },
    Redshift: number("Redshift", comoving && time > 0 ? 1 / time - 1 : 0),
    ...{ BoxSize: number("BoxSize"), NumFilesPerSnapshot: Int32Array.of(1) },
  });
  const others = Object.entries(said).filter(([name, value]) => !OF_HEADER.test(name) && isPlain(value));
  const { ComovingIntegrationOn: _, ...rest } = Object.fromEntries(others);
  writeAttributes(file.create_group("Parameters"), {
    ...(comoving !== undefined && { ComovingIntegrationOn: Int32Array.of(comoving ? 1 : 0) }),
    ...{ ...rest, ...background, BoxSize: number("BoxSize") },
  });
  file.create_group("Config");
}

/** HDF5 has no texts of no length, and attributes end at 64 KiB. */
const isPlain = (value: ParameterValue) =>
  typeof value === "number" ||
  (typeof value === "string" && value !== "") ||
  (Array.isArray(value) && value.length < 1000);

async function writeGadgetHdf5(file: string, written: Written): Promise<string[]> {
  const { comoving } = frameOf(written.attributes, written.set.time);
  const h = numberSaid(written, "HubbleParam", 1);
  const [length, mass, velocity] = UNIT_NAMES.map((name) => numberSaid(written, name));
  const units =
    length > 0 && mass > 0 && velocity > 0
      ? { UnitLength_in_cm: length, UnitMass_in_g: mass, UnitVelocity_in_cm_per_s: velocity }
      : undefined;
  const bytes = written.count * 64 + METADATA_BYTES;
  await writeHdf5([file], bytes, async (hdf5) => {
    writeHeader(hdf5, written, comoving ?? (isSet(h) && h !== 1 ? undefined : false));
    for (const of of written.types) {
      const group = hdf5.create_group(`PartType${of.type}`);
      for (const field of [...NUMBERS, "ids"] as const) {
        if (field === "ids" ? written.idBits === undefined : field === "masses" && of.mass) continue;
        const { name, width } = FIELDS[field];
        const wide = written.bits(field) === 64;
        const dtype = field === "ids" ? (wide ? "<Q" : "<I") : wide ? "<d" : "<f";
        const options = { rows: of.count, compression: 0, comoving: comoving === true, units, ours: false };
        const column = new ColumnRows(group, { name, dtype, width }, options);
        for await (const values of written.column(field, undefined, [of])) {
          await column.append(values.length / width, values);
        }
        column.finish();
      }
    }
  });
  return [];
}

export const gadgetHdf5: FileFormat = {
  name: "gadget-hdf5",
  about: "HDF5 of GADGET-2 to -4, AREPO, SWIFT and gravmesh",
  endings: [".hdf5", ".h5"],
  gadget: true,
  hasUnits: true,
  passes: 4,
  recognise: ({ bytes }) => SIGNATURE.every((byte, i) => byte === bytes[i]),
  open: openSet,
  write: writeGadgetHdf5,
};
