/**
 * One file of particles into another of any format: positions, velocities, masses, ids and types, row by row as the source
 * has them, and what it says of itself. Numbers stay as they are, but where the new format gives them a meaning of its own:
 * in an expanding box GADGET's velocities are u = v/√a, and lengths and masses are over h.
 */
import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  type FileFormatName,
  type FileReading,
  type FileUnits,
  VELOCITIES,
  type VelocityConvention,
} from "../../foundation/deck/file-formats.ts";
import { measureOf, naturalVelocity, unitsKey } from "../../foundation/deck/measures.ts";
import type { SnapshotSet } from "./column.ts";
import { attributesOf, frameOf, isOne, redshiftOf } from "./file-frame.ts";
import {
  fileError,
  newTemporary,
  OF_NAMED_FILE,
  onFile,
  publish,
  removeDeadParts,
  removeLeftover,
  requireFreeSpace,
  requireReplaceable,
} from "./files.node.ts";
import type { FileFormat } from "./formats/format.ts";
import { Written } from "./formats/written.ts";
import { formatToWrite, openFormat } from "./formats.node.ts";
import type { ParameterValue } from "./gadget.ts";
import { bad, printable } from "./regular-file.node.ts";
import { fileCosmology, scalePower, unitSizes } from "./snapshot-units.ts";

export interface ConvertRequest {
  from: string;
  to: string;
  fromFormat?: FileFormatName | undefined;
  toFormat?: FileFormatName | undefined;
  force: boolean;
  /** Writes float64 where the format commonly has float32. */
  double: boolean;
  /** What the source doesn't say itself. */
  as: Omit<FileReading, "format" | "units" | "velocities"> & {
    units?: FileUnits | undefined;
    velocities?: VelocityConvention | undefined;
  };
}

export interface Converted {
  from: FileFormatName;
  to: FileFormatName;
  particles: number;
  /** What the new file doesn't hold. */
  lost: string[];
  /** What the source was taken for, as it doesn't say. */
  assumed: string[];
}

export type Converting = Pick<Converted, "from" | "to" | "particles"> & { fraction: number };

/** Position, velocity, mass and id [byte]. */
const PARTICLE_BYTES = 32;

/** `onProgress` is called before the first row and as rows are written, and may throw. Throws "usage", "input", "io"; a file that was there stays until the new one is complete. */
export async function convert(request: ConvertRequest, onProgress: (state: Converting) => void): Promise<Converted> {
  const { from, to, force, fromFormat, toFormat, as, double } = request;
  const target = formatToWrite(to, toFormat);
  const found = await openFormat(from, "start", {
    ...as,
    format: fromFormat ?? "auto",
    velocities: "file",
  });
  requireNewFile(found, to, force);
  const { set, factors, notes, assumed } = meaning(found, target, request);
  let done = 0;
  const written = new Written(set, factors, (rows) => {
    done += rows;
    // Formats with a block for each column go through the rows several times.
    const passes = Math.max(target.passes, Math.ceil(done / particles));
    onProgress({ ...state, fraction: Math.min(0.999, done / (passes * particles)) });
  });
  const particles = written.count;
  const state = { from: found.format, to: target.name, particles };
  onProgress({ ...state, fraction: 0 });
  requireFreeSpace(to, particles * PARTICLE_BYTES, OF_NAMED_FILE);
  const lost = await atomically(to, (file) => target.write(file, written, { double }));
  onProgress({ ...state, fraction: 1 });
  return { ...state, lost: [...lost, ...notes], assumed };
}

function requireNewFile({ parts }: SnapshotSet, to: string, force: boolean): void {
  // A symbolic link that leads nowhere is there, too.
  if (!onFile("write", to, () => lstatSync(to, { throwIfNoEntry: false }))) return;
  requireReplaceable(to, "usage", ", or - for stdout");
  const there = statSync(to, { throwIfNoEntry: false });
  const isThat = ({ dev, ino }: Stats) => dev === there?.dev && ino === there.ino;
  if (parts.some(({ file }) => isThat(statSync(file)))) {
    throw new GravmeshError("usage", `${printable(to)} is the file that is read: choose another name.`);
  }
  if (force) return;
  throw new GravmeshError(
    "usage",
    `${printable(to)} is there already: choose another name, or replace it with --force.`,
  );
}

async function atomically(file: string, write: (temporary: string) => Promise<string[]>): Promise<string[]> {
  removeDeadParts(dirname(file));
  const temporary = newTemporary(file, "write", OF_NAMED_FILE);
  try {
    const lost = await write(temporary);
    publish(temporary, file);
    return lost;
  } catch (cause) {
    removeLeftover(temporary);
    // HDF5's writer tells of the temporary file, with what a run could do.
    const reason = cause instanceof GravmeshError && cause.kind === "io" ? cause.cause : cause;
    throw reason instanceof GravmeshError || reason === undefined
      ? cause
      : fileError("write", file, reason, undefined, OF_NAMED_FILE);
  }
}

/** What the numbers of the source mean, and what they are multiplied by. */
function meaning(found: SnapshotSet, target: FileFormat, { as }: ConvertRequest) {
  const said = attributesOf(found, (name) => as.units !== undefined && name.startsWith("Unit"));
  const frame = frameOf(said, found.time, { comoving: as.velocities === undefined ? undefined : true });
  const comoving = frame.comoving === true;
  const time = comoving ? frame.a : found.time;
  const velocities = as.velocities ?? found.velocities;
  const factors = { length: 1, mass: 1, velocity: 1 };
  const notes: string[] = [];
  const assumed: string[] = comoving ? frame.notes : [];
  if (comoving) {
    if (!(time !== undefined && time > 0)) {
      throw bad(found.name, `expected a scale factor above 0 as its time, found ${found.time ?? "none"}.`);
    }
    if (!found.perH) {
      const { h } = fileCosmology(said);
      if (h === undefined) throw bad(found.name, "lengths have no h in the file, and nothing says what h is.");
      factors.length = h;
      factors.mass = h;
    }
    if (target.gadget) {
      // At a = 1 all conventions are one.
      if (velocities === undefined && !isOne(time)) {
        throw bad(
          found.name,
          "nothing in the file says what its velocities are in an expanding box.",
          "Say it with --velocities: gadget (√a dx/dt), peculiar (a dx/dt), comoving (dx/dt) or canonical (a² dx/dt).",
        );
      }
      factors.velocity = scalePower(time, VELOCITIES[velocities ?? "gadget"] - VELOCITIES.gadget);
    }
  } else if (frame.comoving === undefined && target.name === "gadget-hdf5") {
    const box = (fileCosmology(said).h ?? 1) === 1 ? "a box that doesn't expand" : "a box that may expand or not";
    assumed.push(`${box}; --velocities says that it does, and what they are`);
  }
  const header: Record<string, ParameterValue> = {
    ...said,
    ...(as.units && namedUnits(as.units)),
    ...(comoving && { ComovingIntegrationOn: 1, Redshift: redshiftOf(said, time ?? 1) }),
  };
  const kept = target.gadget ? "gadget" : velocities;
  const set: SnapshotSet = { ...found, header, time, parameters: {}, velocities: comoving ? kept : undefined };
  if (target.hasUnits) return { set, factors, notes, assumed };
  const units = unitsInDeck(header, comoving);
  // Units that aren't given are GADGET's in its own formats.
  const named = as.units !== undefined || "UnitLength_in_cm" in said;
  if (target.gadget ? named && units !== unitsInDeck({}, comoving) : named || found.hasUnits) {
    notes.push(`units; in a deck: ${units}`);
  }
  if (comoving && !target.gadget) {
    notes.push(`what velocities are${velocities === undefined ? "" : `; in a deck: velocities = "${velocities}"`}`);
  }
  return { set, factors, notes, assumed };
}

function namedUnits(units: FileUnits): Record<string, number> {
  const of = (dimension: keyof FileUnits) => measureOf(dimension, units[dimension]);
  const [length, mass, velocity] = [of("length"), of("mass"), of("velocity")];
  if (typeof length !== "object" || typeof mass !== "object" || velocity === undefined) {
    throw new GravmeshError(
      "usage",
      `--units: expected names of length, mass and velocity, such as "kpc, 1e10 Msun, km/s", found "${Object.values(units).join(", ")}".`,
    );
  }
  return {
    ...{ UnitLength_in_cm: length.size, UnitMass_in_g: mass.size },
    UnitVelocity_in_cm_per_s: velocity === "natural" ? naturalVelocity(length.size, mass.size) : velocity.size,
  };
}

/** The key `units` of a deck that says what numbers are in. */
function unitsInDeck(said: Readonly<Record<string, ParameterValue>>, comoving: boolean): string {
  if (said["units.system"] === "nbody") return 'units = "deck"';
  return unitsKey(unitSizes(said), comoving ? "/h" : "");
}
