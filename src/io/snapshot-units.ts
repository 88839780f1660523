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

function unitRatio(found: ParameterValue | undefined, own: number): number {
  if (typeof found !== "number" || !(found > 0)) return 1;
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

/**
 * `attributes`: those of /Header and /Parameters together. A file of ours says which system wrote it; in others the
 * unit attributes count. A comoving file holds u = v/√a (GADGET's convention), so that v = √a u; `momenta` asks for
 * p = a² dx/dt = a v in place of v.
 */
export function snapshotScales(
  file: string,
  attributes: Readonly<Record<string, ParameterValue>>,
  time: number,
  units: UnitSystemName | undefined,
  momenta = false,
): SnapshotScales {
  const comoving = attributes.ComovingIntegrationOn === 1;
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
  const length = unitRatio(attributes.UnitLength_in_cm, own.UnitLength_in_cm) * factors.length;
  const mass = unitRatio(attributes.UnitMass_in_g, own.UnitMass_in_g) * factors.mass;
  const velocity = unitRatio(attributes.UnitVelocity_in_cm_per_s, own.UnitVelocity_in_cm_per_s) * factors.velocity;
  return { length, mass, velocity: velocity * peculiar, time: comoving ? 1 : length / velocity };
}
