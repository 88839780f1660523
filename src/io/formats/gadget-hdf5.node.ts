/**
 * GADGET's HDF5 snapshots; read by snapshot-set.node.ts. Written with what the source says of itself, in the way that runs
 * write theirs (docs/snapshots.md), without the sums that tell a run's own files.
 */
import { DATASET_UNITS, type DatasetName, PARTICLE_TYPES, type ParameterValue } from "../gadget.ts";
import { type Hdf5Group, rowRanges, writeAttributes, writeHdf5 } from "../hdf5.node.ts";
import { CHECKSUM } from "../snapshot-columns.node.ts";
import { SIGNATURE } from "../snapshot-file.node.ts";
import { openSet } from "../snapshot-set.node.ts";
import { fileIsComoving } from "../snapshot-units.ts";
import type { FileFormat } from "./format.ts";
import { FIELDS, type Field, toFloat32, type Written, type WrittenType } from "./written.ts";

const CHUNK_ROWS = 65_536;
const METADATA_BYTES = 65_536;
const NAMES: Record<Field, DatasetName> = {
  ...{ coordinates: "Coordinates", velocities: "Velocities", masses: "Masses", ids: "ParticleIDs" },
};

/** Attributes of /Header; all others stand in /Parameters. */
const OF_HEADER = /^(Time|Redshift|BoxSize|NumPart_.*|MassTable|NumFilesPerSnapshot|Flag_.*|Code|.*-factor)$/;
const UNIT_NAMES = ["UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"] as const;

function writeHeader(file: Parameters<Parameters<typeof writeHdf5>[2]>[0], written: Written, comoving: boolean): void {
  const said = written.attributes;
  const numbers = new BigUint64Array(PARTICLE_TYPES);
  const table = new Float64Array(PARTICLE_TYPES);
  for (const { type, count, mass } of written.types) {
    numbers[type] = BigInt(count);
    table[type] = mass ?? 0;
  }
  const number = (name: string, otherwise = 0) => (typeof said[name] === "number" ? said[name] : otherwise);
  const time = number("Time");
  writeAttributes(file.create_group("Header"), {
    ...{ NumPart_ThisFile: numbers, NumPart_Total: numbers, MassTable: table, Time: time },
    Redshift: number("Redshift", comoving && time > 0 ? 1 / time - 1 : 0),
    ...{ BoxSize: number("BoxSize"), NumFilesPerSnapshot: Int32Array.of(1) },
  });
  const others = Object.entries(said).filter(([name, value]) => !OF_HEADER.test(name) && isPlain(value));
  const { ComovingIntegrationOn: _, ...rest } = Object.fromEntries(others);
  writeAttributes(file.create_group("Parameters"), {
    ComovingIntegrationOn: Int32Array.of(comoving ? 1 : 0),
    ...{ Omega0: 0, OmegaLambda: 0, HubbleParam: 1, BoxSize: number("BoxSize") },
    ...rest,
  });
  file.create_group("Config");
}

/** HDF5 has no texts of no length, and attributes end at 64 KiB. */
const isPlain = (value: ParameterValue) =>
  typeof value === "number" ||
  (typeof value === "string" && value !== "") ||
  (Array.isArray(value) && value.length < 1000);

type Numbers = Float64Array | Float32Array | Uint32Array | BigUint64Array;

const kindOf = (written: Written, field: Field) => {
  if (field === "ids")
    return written.idBits === 64
      ? ({ dtype: "<Q", none: new BigUint64Array(0) } as const)
      : ({ dtype: "<I", none: new Uint32Array(0) } as const);
  return written.bits(field) === 64
    ? ({ dtype: "<d", none: new Float64Array(0) } as const)
    : ({ dtype: "<f", none: new Float32Array(0) } as const);
};

async function writeColumn(group: Hdf5Group, written: Written, of: WrittenType, field: Field): Promise<void> {
  const width = field === "coordinates" || field === "velocities" ? 3 : 1;
  const shape = (n: number) => (width === 1 ? [n] : [n, width]);
  const { dtype, none } = kindOf(written, field);
  const dataset = group.create_dataset({
    ...{ name: NAMES[field], dtype, data: none, shape: shape(0), maxshape: shape(of.count) },
    ...{ chunks: shape(Math.min(of.count, CHUNK_ROWS)), ...CHECKSUM },
  });
  dataset.resize(shape(of.count));
  for await (const rows of written.rows([field], [of])) {
    const values = rows[field];
    const stored: Numbers =
      dtype === "<d" || dtype === "<Q"
        ? values
        : dtype === "<f"
          ? toFloat32(values as Float64Array, NAMES[field])
          : Uint32Array.from(values as Float64Array);
    dataset.write_slice(rowRanges(rows.first, rows.first + rows.count, width === 1 ? undefined : width), stored);
  }
  if (field !== "ids") writeScalings(dataset, written, NAMES[field] as keyof typeof DATASET_UNITS);
}

function writeScalings(
  dataset: Parameters<typeof writeAttributes>[0],
  written: Written,
  name: keyof typeof DATASET_UNITS,
): void {
  const { a, h, length, mass, velocity } = DATASET_UNITS[name];
  const said = written.attributes;
  const comoving = isComoving(written);
  const [l, m, v] = UNIT_NAMES.map((unit) => said[unit]);
  const known = typeof l === "number" && typeof m === "number" && typeof v === "number";
  writeAttributes(dataset, {
    ...{ a_scaling: comoving ? a : 0, h_scaling: comoving ? h : 0 },
    ...{ length_scaling: length, mass_scaling: mass, velocity_scaling: velocity },
    ...(known && { to_cgs: l ** length * m ** mass * v ** velocity }),
  });
}

const isComoving = ({ set, attributes }: Written) =>
  set.time !== undefined && fileIsComoving(attributes, set.time) === true;

async function writeGadgetHdf5(file: string, written: Written): Promise<string[]> {
  const bytes = written.count * 64 + METADATA_BYTES;
  await writeHdf5([file], bytes, async (hdf5) => {
    writeHeader(hdf5, written, isComoving(written));
    for (const of of written.types) {
      const group = hdf5.create_group(`PartType${of.type}`);
      for (const field of FIELDS) {
        if (field === "ids" ? written.idBits === undefined : field === "masses" && of.mass) continue;
        await writeColumn(group, written, of, field);
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
  open: (file, need) => openSet(file, need),
  write: writeGadgetHdf5,
};
