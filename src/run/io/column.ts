/**
 * Particles in a file as columns of numbers: what every format is read as. A file has particles of up to six types, a
 * type its columns, and each is read in slabs of consecutive rows.
 */
import type { GravmeshError } from "../../foundation/base/errors.ts";
import type { FileFormatName, VelocityConvention } from "../../foundation/deck/file-formats.ts";
import type { ParameterValue } from "./gadget.ts";

/** Numbers of consecutive rows, [rows of the slab × width]. */
export interface Slab {
  values: ArrayLike<number | bigint>;
  /** Row of the first. */
  first: number;
}

/** A column whose type, shape, storage and size are as they should be. */
export interface CheckedColumn {
  path: string;
  rows: number;
  width: 1 | 3;
  /** Its numbers are floats; integers otherwise. */
  real: boolean;
  /** The size of one number [byte]. */
  size: number;
  /** All rows in turn; throws "input" for what can't be read. */
  slabs(): AsyncGenerator<Slab>;
  fault(found: string, advice?: string): GravmeshError;
}

/** Rows of a slab, about. */
export const SLAB_ROWS = 262_144;

/** What is read and written of particles, whatever the format: numbers of each, and GADGET's name of it. */
export const FIELDS = {
  coordinates: { width: 3, name: "Coordinates" },
  velocities: { width: 3, name: "Velocities" },
  masses: { width: 1, name: "Masses" },
  ids: { width: 1, name: "ParticleIDs" },
} as const;
export type Field = keyof typeof FIELDS;

export interface TypeColumns {
  type: number;
  path: string;
  count: number;
  coordinates: CheckedColumn;
  /** Undefined where they aren't needed. */
  velocities: CheckedColumn | undefined;
  /** One for each particle, or the mass of all of them [file's unit]. */
  masses: CheckedColumn | number;
  /** Masses of single particles in a file that has one for all of them, too: they have to be equal. */
  doubled?: CheckedColumn | undefined;
  ids: CheckedColumn | undefined;
}

export interface SnapshotPart {
  file: string;
  types: TypeColumns[];
}

/** What a file of any format, or a set of files, says of itself, in the names that GADGET has for it. */
export interface SnapshotSet {
  name: string;
  format: FileFormatName;
  parts: SnapshotPart[];
  /** Those of /Header and /Parameters of the first file. */
  header: Readonly<Record<string, ParameterValue>>;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** [file's unit]; the scale factor of an expanding box. Undefined where the file has none. */
  time: number | undefined;
  /** gravmesh wrote it. */
  ours: boolean;
  /** What velocities are, if the box expands; undefined where nothing tells. */
  velocities: VelocityConvention | undefined;
  /** Lengths and masses are over h, if the box expands. */
  perH: boolean;
  /** Units that aren't named are GADGET's; false: there are none. */
  hasUnits: boolean;
}

/** What a snapshot has to hold: all that a run starts from, or positions alone. */
export type Need = "start" | "positions";
