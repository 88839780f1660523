/**
 * GADGET's HDF5 snapshots; read by snapshot-set.node.ts. Written with what the source says of itself, in the way that runs
 * write theirs (docs/snapshots.md), without the sums that tell a run's own files.
 */
import { FIELDS } from "../column.ts";
import { PARTICLE_TYPES, type ParameterValue, UNIT_NAMES } from "../gadget.ts";
import { writeAttributes, writeHdf5 } from "../hdf5.node.ts";
import { ColumnRows } from "../snapshot-columns.node.ts";
import { SIGNATURE } from "../snapshot-file.node.ts";
import { openSet } from "../snapshot-set.node.ts";
import { fileIsComoving } from "../snapshot-units.ts";
import type { FileFormat } from "./format.ts";
import { NUMBERS, numberSaid, type Written } from "./written.ts";

const METADATA_BYTES = 65_536;
/** Attributes of /Header; all others stand in /Parameters. */
const OF_HEADER = /^(Time|Redshift|BoxSize|NumPart_.*|MassTable|NumFilesPerSnapshot|Flag_.*|Code|.*-factor)$/;

function writeHeader(file: Parameters<Parameters<typeof writeHdf5>[2]>[0], written: Written, comoving: boolean): void {
  const said = written.attributes;
  const numbers = new BigUint64Array(PARTICLE_TYPES);
  const table = new Float64Array(PARTICLE_TYPES);
  for (const { type, count, mass } of written.types) {
    numbers[type] = BigInt(count);
    table[type] = mass ?? 0;
  }
  const number = (name: string, otherwise?: number) => numberSaid(written, name, otherwise);
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

const isComoving = ({ set, attributes }: Written) =>
  set.time !== undefined && fileIsComoving(attributes, set.time) === true;

async function writeGadgetHdf5(file: string, written: Written): Promise<string[]> {
  const comoving = isComoving(written);
  const [length, mass, velocity] = UNIT_NAMES.map((name) => numberSaid(written, name));
  const known = length > 0 && mass > 0 && velocity > 0;
  const units = known
    ? { UnitLength_in_cm: length, UnitMass_in_g: mass, UnitVelocity_in_cm_per_s: velocity }
    : undefined;
  const bytes = written.count * 64 + METADATA_BYTES;
  await writeHdf5([file], bytes, async (hdf5) => {
    writeHeader(hdf5, written, comoving);
    for (const of of written.types) {
      const group = hdf5.create_group(`PartType${of.type}`);
      for (const field of [...NUMBERS, "ids"] as const) {
        if (field === "ids" ? written.idBits === undefined : field === "masses" && of.mass) continue;
        const { name, width } = FIELDS[field];
        const wide = written.bits(field) === 64;
        const dtype = field === "ids" ? (wide ? "<Q" : "<I") : wide ? "<d" : "<f";
        const options = { rows: of.count, compression: 0, comoving, units, ours: false };
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
  open: (file, need) => openSet(file, need),
  write: writeGadgetHdf5,
};
