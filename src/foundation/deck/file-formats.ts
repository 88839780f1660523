/** The file formats of particles by name, and what a deck says of a file that the file doesn't say itself. */
import { z } from "zod";
import { isTable, kindOfValue } from "./keys.ts";
import { MEASURED_DIMENSIONS, type MeasuredDimension, measureOf, NATURAL, unitNames } from "./measures.ts";

export const FILE_FORMATS = ["gadget-hdf5", "gadget-2", "gadget-1", "tipsy", "nemo", "csv", "npy", "npz"] as const;
export type FileFormatName = (typeof FILE_FORMATS)[number];

/**
 * What the velocities of an expanding box are, of comoving positions x at the scale factor a: GADGET's u = √a dx/dt, peculiar
 * v = a dx/dt, comoving dx/dt, canonical p = a² dx/dt. The numbers are e in v = a^e · stored.
 */
export const VELOCITIES = { gadget: 0.5, peculiar: 0, comoving: 1, canonical: -1 } as const;
export type VelocityConvention = keyof typeof VELOCITIES;
export const VELOCITY_CONVENTIONS = Object.keys(VELOCITIES) as [VelocityConvention, ...VelocityConvention[]];

/** Units by name (measures.ts). */
export type FileUnits = Record<MeasuredDimension, string>;

/** How a file is to be taken; what is left out, as the file says. */
export interface FileReading {
  format?: "auto" | FileFormatName | undefined;
  /** "file": as the file says; "deck": in those of the deck. */
  units?: "file" | "deck" | FileUnits | undefined;
  velocities?: "file" | VelocityConvention | undefined;
  /** "deck": what the deck has of the box, its expansion and the background counts where the header has something else. */
  header?: "file" | "deck" | undefined;
  /** Names of the columns of a table that has none. */
  columns?: readonly string[] | undefined;
  /** Which snapshot, from 0, of a file with several. */
  frame?: "only" | number | undefined;
  /** Which types of particles, 0 to 5; all of them where the list is empty. */
  types?: readonly number[] | undefined;
  /** "new": numbers from 0 up in the order of the file, whatever ids are there. */
  ids?: "file" | "new" | undefined;
}

const unit = (dimension: MeasuredDimension) => z.string().refine((text) => measureOf(dimension, text) !== undefined);

const EXAMPLE = '{ length = "kpc", mass = "1e10 Msun", velocity = "km/s" }';

export const fileUnits = kindOfValue(
  () =>
    z.union([
      z.enum(["file", "deck"]),
      z.strictObject({ length: unit("length"), mass: unit("mass"), velocity: unit("velocity") }),
    ]),
  `"file", "deck", or units by name such as ${EXAMPLE}`,
  `\`"file"\`, \`"deck"\`, or \`${EXAMPLE}\``,
  { hint: unitsHint },
);

/** What of a table of units names none. */
function unitsHint(value: unknown): string | undefined {
  if (!isTable(value)) return undefined;
  const dimension = MEASURED_DIMENSIONS.find((one) => typeof value[one] !== "string" || !measureOf(one, value[one]));
  if (dimension === undefined) return undefined;
  const found = value[dimension];
  const said = found === undefined ? `${dimension} is missing` : `${dimension} = ${JSON.stringify(found)} is no unit`;
  const natural =
    dimension === "velocity" ? `, or "${NATURAL}"` : ", with a factor before and /h behind where there are";
  return `${said}; there are ${unitNames(dimension).join(", ")}${natural}`;
}

export const columnNames = kindOfValue(
  () => z.array(z.string()),
  'a list of names, ["x", "y", "z", "vx", "vy", "vz", "mass"]',
  '["x", "y", …]',
);
