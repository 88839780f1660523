/**
 * The header of GADGET's binary formats: 256 bytes of GADGET-2 (io_header in allvars.h), or the shorter one of GADGET-4
 * without GADGET2_HEADER (io_header in io/snap_io.h), in either byte order; as attributes with the names of HDF5. And the
 * blocks behind it that hold what a run starts from.
 */
import type { Field } from "../column.ts";
import { PARTICLE_TYPES, type ParameterValue } from "../gadget.ts";
import { beside, encode, KINDS, type NumberKind } from "../number-kinds.ts";

/** Blocks in the order that format 1 has them, and what is in them. */
export const BLOCKS: readonly (readonly [name: string, field: Field])[] = [
  ["POS", "coordinates"],
  ["VEL", "velocities"],
  ["ID", "ids"],
  ["MASS", "masses"],
];

export const GADGET2_HEADER = 256;
/** GADGET-4's, of snapshots and with the counts of merger trees. */
export const HEADER_SIZES: readonly number[] = [GADGET2_HEADER, 176, 192];

/** A number of the header, or one for each type, and where it is [byte]. */
type Place = readonly [name: string, kind: NumberKind, at: number, count?: number];

const GADGET2: readonly Place[] = [
  ["NumPart_ThisFile", "i4", 0, PARTICLE_TYPES],
  ["MassTable", "f8", 24, PARTICLE_TYPES],
  ["Time", "f8", 72],
  ["Redshift", "f8", 80],
  ["NumPart_Total", "u4", 96, PARTICLE_TYPES],
  ["NumFilesPerSnapshot", "i4", 124],
  ["BoxSize", "f8", 128],
  ["Omega0", "f8", 136],
  ["OmegaLambda", "f8", 144],
  ["HubbleParam", "f8", 152],
  ["NumPart_Total_HighWord", "u4", 168, PARTICLE_TYPES],
  ["Flag_DoublePrecision", "i4", 196],
];
const GADGET4: readonly Place[] = [
  ["NumPart_ThisFile", "i8", 0, PARTICLE_TYPES],
  ["NumPart_Total", "i8", 48, PARTICLE_TYPES],
  ["MassTable", "f8", 96, PARTICLE_TYPES],
  ["Time", "f8", 144],
  ["Redshift", "f8", 152],
  ["BoxSize", "f8", 160],
  ["NumFilesPerSnapshot", "i4", 168],
];

export function gadgetHeader(view: DataView, little: boolean): Record<string, ParameterValue> {
  const places = view.byteLength === GADGET2_HEADER ? GADGET2 : GADGET4;
  return Object.fromEntries(
    places.map(([name, kind, at, count = 1]) => {
      const { get, size } = KINDS[kind];
      const values = beside(at, count, size).map((from) => Number(get(view, from, little)));
      return [name, count === 1 ? values[0] : values];
    }),
  );
}

/** GADGET-2's, little-endian; what isn't among the values is 0. */
export function gadget2Header(values: Readonly<Record<string, ParameterValue>>): DataView {
  const view = new DataView(new ArrayBuffer(GADGET2_HEADER));
  for (const [name, kind, at] of GADGET2) {
    const found = [values[name] ?? 0].flat().filter((value) => typeof value === "number");
    encode(view, found, { offsets: [at], stride: KINDS[kind].size, kind, little: true });
  }
  return view;
}
