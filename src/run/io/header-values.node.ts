/**
 * What a file says of itself, checked: one table of what each number and word of a header can be, for all formats, in
 * GADGET's names. What isn't in the table isn't used.
 */

import type { GravmeshError } from "../../foundation/base/errors.ts";
import { VELOCITY_CONVENTIONS } from "../../foundation/deck/file-formats.ts";
import { UNIT_SYSTEM_NAMES } from "../../foundation/deck/units.ts";
import type { ParameterValue } from "./gadget.ts";
import { printable } from "./regular-file.node.ts";

/** Smallest and largest value, and both in words. */
type Range = readonly [least: number, most: number, words: string];

const FINITE: Range = [-Number.MAX_VALUE, Number.MAX_VALUE, "a finite number"];
const FLAG: Range = [0, 1, "0 or 1"];

/** Outside of these a unit is none that anybody counts in: from a metre's fraction to a million Gpc, and so on. */
const unit = (least: number, most: number): Range => [least, most, `a number from ${least} to ${most}`];

const NUMBERS: Readonly<Record<string, Range>> = {
  Time: FINITE,
  Redshift: [-1 + Number.EPSILON, Number.MAX_VALUE, "a finite number above -1"],
  BoxSize: [0, Number.MAX_VALUE, "the side of a cube, or 0"],
  Omega0: [0, 100, "a density parameter from 0 to 100"],
  OmegaLambda: [-100, 100, "a density parameter from -100 to 100"],
  HubbleParam: [0, 1000, "h, in units of 100 km/s/Mpc, or 0"],
  ComovingIntegrationOn: FLAG,
  UsePeculiarVelocity: FLAG,
  UnitLength_in_cm: unit(1, 1e35),
  UnitMass_in_g: unit(1, 1e65),
  UnitVelocity_in_cm_per_s: unit(1e-5, 1e13),
};
/** Attributes that are one number; some codes write a list of one, and BoxSize as three. */
export const HEADER_NUMBERS = Object.keys(NUMBERS);

const WORDS: Readonly<Record<string, readonly string[]>> = {
  Velocities: VELOCITY_CONVENTIONS,
  "units.system": UNIT_SYSTEM_NAMES,
};

const isWithin = (value: ParameterValue, [least, most]: Range): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every((one) => one === value[0] && isWithin(one, [least, most, ""]))
    : typeof value === "number" && value >= least && value <= most;

const shown = (value: ParameterValue) => printable([value].flat().slice(0, 6).join(", ").slice(0, 60));

/** Throws "input" for the first value that can't be; `where`: what stands before its name. */
export function requireHeader(
  attributes: Readonly<Record<string, ParameterValue>>,
  { where, fault }: { where: string; fault(found: string, advice?: string): GravmeshError },
): void {
  const wrong = (name: string, expected: string, advice = "Correct it, or leave it out where it isn't needed.") =>
    fault(`${where}${name} is ${shown(attributes[name])}; expected ${expected}.`, advice);
  for (const [name, range] of Object.entries(NUMBERS)) {
    const value = attributes[name];
    if (value === undefined || isWithin(value, range)) continue;
    throw name.startsWith("Unit")
      ? wrong(name, range[2], "Correct it, or leave it out: numbers are then taken to be in kpc, 1e10 Msun and km/s.")
      : wrong(name, range[2]);
  }
  for (const [name, words] of Object.entries(WORDS)) {
    const value = attributes[name];
    if (value !== undefined && !words.includes(String(value))) throw wrong(name, `one of ${words.join(", ")}`);
  }
}
