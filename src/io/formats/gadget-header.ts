/**
 * The header of GADGET's binary formats: 256 bytes of GADGET-2 (io_header in allvars.h), or the shorter one of GADGET-4
 * without GADGET2_HEADER (io_header in io/snap_io.h), in either byte order; as attributes with the names of HDF5.
 */
import type { ParameterValue } from "../gadget.ts";
import { PARTICLE_TYPES } from "../gadget.ts";

export const GADGET2_HEADER = 256;
/** GADGET-4's, of snapshots and with the counts of merger trees. */
export const HEADER_SIZES: readonly number[] = [GADGET2_HEADER, 176, 192];

/** Offsets of GADGET-2's [byte]. */
export const PLACE = {
  ...{ numbers: 0, masses: 24, time: 72, redshift: 80, totals: 96, files: 124, boxSize: 128 },
  ...{ omega0: 136, omegaLambda: 144, hubble: 152, highWords: 168, double: 196 },
} as const;

const six = <T>(value: (type: number) => T): T[] => Array.from({ length: PARTICLE_TYPES }, (_, type) => value(type));

export function gadgetHeader(view: DataView, little: boolean): Record<string, ParameterValue> {
  return view.byteLength === GADGET2_HEADER ? ofGadget2(view, little) : ofGadget4(view, little);
}

function ofGadget2(view: DataView, little: boolean): Record<string, ParameterValue> {
  const real = (at: number) => view.getFloat64(at, little);
  const count = (at: number) => view.getUint32(at, little);
  return {
    NumPart_ThisFile: six((type) => view.getInt32(PLACE.numbers + 4 * type, little)),
    NumPart_Total: six((type) => count(PLACE.totals + 4 * type)),
    NumPart_Total_HighWord: six((type) => count(PLACE.highWords + 4 * type)),
    MassTable: six((type) => real(PLACE.masses + 8 * type)),
    ...{ Time: real(PLACE.time), Redshift: real(PLACE.redshift), BoxSize: real(PLACE.boxSize) },
    NumFilesPerSnapshot: view.getInt32(PLACE.files, little),
    ...{ Omega0: real(PLACE.omega0), OmegaLambda: real(PLACE.omegaLambda), HubbleParam: real(PLACE.hubble) },
  };
}

function ofGadget4(view: DataView, little: boolean): Record<string, ParameterValue> {
  const real = (at: number) => view.getFloat64(at, little);
  const count = (at: number) => Number(view.getBigInt64(at, little));
  return {
    NumPart_ThisFile: six((type) => count(8 * type)),
    NumPart_Total: six((type) => count(48 + 8 * type)),
    MassTable: six((type) => real(96 + 8 * type)),
    ...{ Time: real(144), Redshift: real(152), BoxSize: real(160) },
    NumFilesPerSnapshot: view.getInt32(168, little),
  };
}

/** GADGET-2's, little-endian. `said`: what the source says of itself. */
export function gadget2Header(
  said: Readonly<Record<string, ParameterValue>>,
  counts: readonly number[],
  masses: readonly number[],
  double: boolean,
): Uint8Array {
  const view = new DataView(new ArrayBuffer(GADGET2_HEADER));
  const real = (at: number, name: string, otherwise = 0) => {
    const value = said[name];
    view.setFloat64(at, typeof value === "number" ? value : otherwise, true);
  };
  for (let type = 0; type < PARTICLE_TYPES; type++) {
    view.setInt32(PLACE.numbers + 4 * type, counts[type], true);
    view.setUint32(PLACE.totals + 4 * type, counts[type], true);
    view.setFloat64(PLACE.masses + 8 * type, masses[type], true);
  }
  real(PLACE.time, "Time");
  real(PLACE.redshift, "Redshift");
  real(PLACE.boxSize, "BoxSize");
  real(PLACE.omega0, "Omega0");
  real(PLACE.omegaLambda, "OmegaLambda");
  real(PLACE.hubble, "HubbleParam", 1);
  view.setInt32(PLACE.files, 1, true);
  view.setInt32(PLACE.double, double ? 1 : 0, true);
  return new Uint8Array(view.buffer);
}
