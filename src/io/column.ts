/**
 * Particles in a file as columns of numbers: what every format is read as, whatever its bytes are. A file has particles
 * of up to six types, a type its columns, and each is read in slabs of consecutive rows.
 */
import type { GravmeshError } from "../errors.ts";

/** Numbers of consecutive rows, [rows of the slab × width]. */
export interface Slab {
  values: ArrayLike<number | bigint>;
  /** Row of the first. */
  first: number;
}

/** A column whose type, shape, storage and size are as they should be. */
export interface Column {
  /** Its place in the file, for messages. */
  path: string;
  rows: number;
  width: 1 | 3;
  /** Its numbers are floats; integers otherwise. */
  real: boolean;
  /** Of one number [byte]. */
  size: number;
  /** All rows in turn; throws "input" for what can't be read. */
  slabs(): AsyncGenerator<Slab>;
  /** GravmeshError "input" on the file. */
  fault(found: string, advice?: string): GravmeshError;
}

/** Rows of a slab, about. */
export const SLAB_ROWS = 262_144;

/** Particles of one type in one file; all that can be known before they are read. */
export interface TypeColumns {
  /** GADGET's number of the type. */
  type: number;
  path: string;
  count: number;
  coordinates: Column;
  /** Undefined where they aren't needed. */
  velocities: Column | undefined;
  /** One for each particle, or the mass of all of them [file's unit]. */
  masses: Column | number;
  ids: Column | undefined;
}
