/** Factors from the numbers of a snapshot file to deck units: deck value = factor · file value. */

import type { UnitSystemName } from "../deck/units.ts";
import { type SnapshotUnits, unitSystem, unitSystems } from "../deck/units.ts";
import { GravmeshError } from "../errors.ts";
import type { ParameterValue } from "./gadget.ts";

export interface SnapshotScales {
  length: number;
  mass: number;
  velocity: number;
  time: number;
}

/** Codes round the parsec and the Sun's mass differently; within this, units are the same and numbers stay as they are. */
const SAME_UNIT = 2e-3;

/** Outside of these a unit is none that anybody counts in: from a metre's fraction to a million Gpc, and so on. */
const SENSIBLE: Readonly<Record<string, readonly [least: number, most: number]>> = {
  UnitLength_in_cm: [1, 1e35],
  UnitMass_in_g: [1, 1e65],
  UnitVelocity_in_cm_per_s: [1e-5, 1e13],
};

/** What is known of a file before its units. */
export interface FileClock {
  /** For messages: its name. */
  file: string;
  /** Those of /Header and /Parameters together. */
  attributes: Readonly<Record<string, ParameterValue>>;
  /** As in the file. */
  time: number;
  /** Whether it is taken for one of an expanding box. */
  comoving: boolean;
}

type UnitName = "UnitLength_in_cm" | "UnitMass_in_g" | "UnitVelocity_in_cm_per_s";

/** The file's unit in units of our own; 1 where it has none. */
function unitRatio({ file, attributes }: FileClock, name: UnitName, own: number): number {
  const found = attributes[name];
  if (found === undefined) return 1;
  const [least, most] = SENSIBLE[name];
  if (!(typeof found === "number" && found >= least && found <= most)) {
    throw new GravmeshError(
      "input",
      `${file}: expected ${name} from ${least} to ${most}, found ${found}. ` +
        "Correct the attribute, or leave it out: numbers are then taken to be in kpc, 1e10 Msun and km/s.",
    );
  }
  const ratio = found / own;
  return Math.abs(ratio - 1) < SAME_UNIT ? 1 : ratio;
}

function inverse(units: SnapshotUnits): SnapshotScales {
  const { lengthFactor, massFactor, velocityFactor } = units;
  return {
    length: 1 / lengthFactor,
    mass: 1 / massFactor,
    velocity: 1 / velocityFactor,
    time: velocityFactor / lengthFactor,
  };
}

/** Side of the box that our writer recorded under its deck name, which Header/BoxSize (0 if isolated) may not tell. */
export function ownBoxSize(
  parameters: Readonly<Record<string, ParameterValue>>,
  scales: SnapshotScales,
): number | undefined {
  const size = parameters["box.size"];
  const writer = unitSystems.find((system) => system.name === parameters["units.system"]);
  if (typeof size !== "number" || writer === undefined) return undefined;
  const factor = writer.snapshot.lengthFactor * scales.length;
  return factor === 1 ? size : size * factor;
}

/** Ω's of today and h, as far as a file has them. */
export interface FileCosmology {
  omegaM?: number;
  darkEnergy?: number;
  h?: number;
}

/** The background that /Header or /Parameters name. */
export function fileCosmology(attributes: Readonly<Record<string, ParameterValue>>): FileCosmology {
  const { Omega0, OmegaLambda, HubbleParam } = attributes;
  return {
    ...(typeof Omega0 === "number" && Omega0 > 0 && { omegaM: Omega0 }),
    ...(typeof OmegaLambda === "number" && { darkEnergy: OmegaLambda }),
    ...(typeof HubbleParam === "number" && HubbleParam > 0 && { h: HubbleParam }),
  };
}

/** Redshift and scale factor of a file agree to this. */
const SAME_TIME = 1e-3;

/**
 * Whether a file is of an expanding box: as GADGET-4 and AREPO say it; of older codes, where the time is the scale
 * factor of the redshift. Undefined where nothing tells, and for those at a = 1, where both are the same.
 */
export function fileIsComoving(
  attributes: Readonly<Record<string, ParameterValue>>,
  time: number,
): boolean | undefined {
  const { ComovingIntegrationOn: said, Redshift: redshift, Omega0 } = attributes;
  if (typeof said === "number") return said !== 0;
  if (typeof redshift !== "number" || !(typeof Omega0 === "number" && Omega0 > 0)) return undefined;
  const fits = Math.abs(time * (1 + redshift) - 1) < SAME_TIME;
  return fits && redshift === 0 ? undefined : fits;
}

/**
 * A file of ours says which system wrote it; in others the unit attributes count. A comoving file holds u = v/√a
 * (GADGET's convention), so that v = √a u; `momenta` asks for p = a² dx/dt = a v in place of v.
 */
export function snapshotScales(clock: FileClock, units: UnitSystemName | undefined, momenta = false): SnapshotScales {
  const { file, attributes, time, comoving } = clock;
  if (comoving && !(time > 0)) {
    throw new GravmeshError("input", `${file}: expected a scale factor above 0 as Header/Time, found ${time}.`);
  }
  // v = √a u; the state of an expanding box is p = a v.
  const peculiar = comoving ? Math.sqrt(time) * (momenta ? time : 1) : 1;
  const writer = unitSystems.find((system) => system.name === attributes["units.system"]);
  if (writer !== undefined && (units === undefined || units === writer.name)) {
    const scales = inverse(writer.snapshot);
    return comoving ? { ...scales, velocity: scales.velocity * peculiar, time: 1 } : scales;
  }
  if (writer !== undefined && units !== undefined && (units === "nbody" || writer.name === "nbody")) {
    throw new GravmeshError(
      "input",
      `${file}: the snapshot is in ${writer.name} units (${writer.description}) and cannot be read as ${units}. ` +
        `Set units.system = "${writer.name}".`,
    );
  }
  if (units === undefined || units === "nbody") return { length: 1, mass: 1, velocity: peculiar, time: 1 };
  const own = unitSystem(units).snapshot;
  const factors = inverse(own);
  const length = unitRatio(clock, "UnitLength_in_cm", own.UnitLength_in_cm) * factors.length;
  const mass = unitRatio(clock, "UnitMass_in_g", own.UnitMass_in_g) * factors.mass;
  const velocity = unitRatio(clock, "UnitVelocity_in_cm_per_s", own.UnitVelocity_in_cm_per_s) * factors.velocity;
  return { length, mass, velocity: velocity * peculiar, time: comoving ? 1 : length / velocity };
}
