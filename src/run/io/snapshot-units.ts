/** Factors from the numbers of a snapshot file to deck units: deck value = factor · file value. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  type FileReading,
  type FileUnits,
  VELOCITIES,
  type VelocityConvention,
} from "../../foundation/deck/file-formats.ts";
import { measureOf, naturalVelocity, unitsKey } from "../../foundation/deck/measures.ts";
import { type SnapshotUnits, type UnitSystemName, unitSystem, unitSystems } from "../../foundation/deck/units.ts";
import { isSet } from "./file-frame.ts";
import { type ParameterValue, UNIT_NAMES } from "./gadget.ts";

export type SnapshotScales = Record<"length" | "mass" | "velocity" | "time", number>;
const bad = (file: string, found: string, advice = "") =>
  new GravmeshError("input", `${file}: ${found}${advice === "" ? "" : ` ${advice}`}`);

type Attributes = Readonly<Record<string, ParameterValue>>;

/** Codes round the parsec and the Sun's mass differently; within this, units are the same and numbers stay as they are. */
const SAME_UNIT = 2e-3;

interface FileClock {
  file: string;
  /** Those of /Header and /Parameters together. */
  attributes: Attributes;
  time: number;
  /** Whether it is taken for one of an expanding box, and then: what its velocities are, whether lengths are over h. */
  comoving: boolean;
  velocities: VelocityConvention;
  perH: boolean;
  /** Its units have names, or are GADGET's where they have none. */
  hasUnits: boolean;
}

interface DeckUnits {
  units: UnitSystemName | undefined;
  /** p = a² dx/dt in place of v. */
  momenta: boolean;
  /** As a deck says that the file's numbers are. */
  named?: FileReading["units"] | undefined;
  h?: number | undefined;
}

/** The file's unit in units of our own; 1 where it has none. */
function unitRatio({ attributes }: FileClock, name: (typeof UNIT_NAMES)[number], own: SnapshotUnits): number {
  const found = attributes[name];
  if (typeof found !== "number") return 1;
  const ratio = found / own[name];
  return Math.abs(ratio - 1) < SAME_UNIT ? 1 : ratio;
}

const inverse = ({ lengthFactor }: SnapshotUnits): SnapshotScales => ({
  ...{ length: 1 / lengthFactor, mass: 1, velocity: 1, time: 1 / lengthFactor },
});

/** Side of the box that our writer recorded under its deck name, which Header/BoxSize (0 if isolated) may not tell. */
export function ownBoxSize(parameters: Attributes, scales: SnapshotScales): number | undefined {
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

/** No dark energy is a value only beside a density of matter. */
export function fileCosmology(attributes: Attributes): FileCosmology {
  const { Omega0, OmegaLambda, HubbleParam } = attributes;
  return {
    ...(isSet(Omega0) && { omegaM: Omega0 }),
    ...(typeof OmegaLambda === "number" && (OmegaLambda !== 0 || isSet(Omega0)) && { darkEnergy: OmegaLambda }),
    ...(isSet(HubbleParam) && { h: HubbleParam }),
  };
}

/** a^n for the few powers there are, exactly where it is 1. */
export function scalePower(a: number, n: number): number {
  const whole = Math.floor(n);
  const root = n === whole ? 1 : Math.sqrt(a);
  return whole < 0 ? root / a ** -whole : root * a ** whole;
}

/**
 * A file of ours says which system wrote it; in others the unit attributes count, unless the deck names units. Of a
 * comoving file v = a^e · stored with the exponent of its convention; `momenta` asks for p = a² dx/dt = a v in place of v.
 */
export function snapshotScales(clock: FileClock, deck: DeckUnits): SnapshotScales {
  const { file, attributes, time, comoving } = clock;
  const { units, named = "file" } = deck;
  if (comoving && !(time > 0)) throw bad(file, `expected a scale factor above 0 as its time, found ${time}.`);
  const peculiar = comoving ? scalePower(time, VELOCITIES[clock.velocities] + (deck.momenta ? 1 : 0)) : 1;
  const scaled = ({ length, mass, velocity }: Omit<SnapshotScales, "time">): SnapshotScales => ({
    ...{ length, mass, velocity: velocity * peculiar, time: comoving ? 1 : length / velocity },
  });
  if (named === "deck") return scaled({ length: 1, mass: 1, velocity: 1 });
  if (typeof named === "object") return scaled(namedScales(clock, deck, named));
  const writer = unitSystems.find((system) => system.name === attributes["units.system"]);
  if (writer !== undefined && (units === undefined || units === writer.name)) {
    const scales = inverse(writer.snapshot);
    return comoving ? { ...scales, velocity: scales.velocity * peculiar, time: 1 } : scales;
  }
  if (writer !== undefined && units !== undefined && (units === "nbody" || writer.name === "nbody")) {
    throw bad(
      file,
      `the snapshot is in ${writer.name} units (${writer.description}) and cannot be read as ${units}.`,
      `Set units.system = "${writer.name}".`,
    );
  }
  if (units === undefined || units === "nbody") return { length: 1, mass: 1, velocity: peculiar, time: 1 };
  requireUnits(clock, units);
  const own = unitSystem(units).snapshot;
  const factors = inverse(own);
  const h = comoving && !clock.perH ? hubbleOf(clock, deck) : 1;
  const length = unitRatio(clock, "UnitLength_in_cm", own) * factors.length * h;
  const mass = unitRatio(clock, "UnitMass_in_g", own) * factors.mass * h;
  const velocity = unitRatio(clock, "UnitVelocity_in_cm_per_s", own) * factors.velocity;
  return scaled({ length, mass, velocity });
}

/** Of a file: those that it names, or GADGET's usual ones [cm], [g], [cm/s]. */
export const unitSizes = (attributes: Attributes): number[] =>
  UNIT_NAMES.map((name) => Number(attributes[name] ?? unitSystem("galactic").snapshot[name]));

/** Where the units that a deck names aren't those that the file names, both. */
export function unitNotes(clock: FileClock, deck: DeckUnits): string[] {
  const said = UNIT_NAMES.filter((name) => isSet(clock.attributes[name]));
  if (said.length < UNIT_NAMES.length || deck.named === "file" || "units.system" in clock.attributes) return [];
  const [taken, own] = [snapshotScales(clock, deck), snapshotScales(clock, { ...deck, named: "file" })];
  const ratios = (["length", "mass", "velocity"] as const).map((of) => Number((own[of] / taken[of]).toPrecision(4)));
  if (ratios.every((ratio) => Math.abs(ratio - 1) < SAME_UNIT)) return [];
  const found = said.map((name) => `${name} = ${clock.attributes[name]}`).join(", ");
  return [
    `its units are those that the deck says; by its own, ${found}, lengths, masses and velocities were ${ratios.join(", ")} times these`,
  ];
}

/** Throws "input" where a file has an h and nothing says whether its box expands, so that its numbers may be over h or not. */
export function requireKnownH({ file, attributes, time }: FileClock, { units, named }: DeckUnits): void {
  const { HubbleParam: h, Redshift: z = "none" } = attributes;
  if (named !== "file" || units === undefined || units === "nbody" || !isSet(h) || h === 1) return;
  const [over, not] = (["/h", ""] as const).map((perH) => unitsKey(unitSizes(attributes), perH));
  throw bad(
    file,
    `nothing in the file says whether lengths and masses are over h: HubbleParam = ${h}, Time = ${time} and Redshift = ${z} ` +
      "may be of an expanding box today or of a run without expansion.",
    `Say it beside file: ${over} if they are over h, ${not} if they aren't.`,
  );
}

/** Throws "input" for numbers without units in a deck that has some. */
function requireUnits({ file, attributes, hasUnits }: FileClock, units: UnitSystemName): void {
  if (hasUnits || UNIT_NAMES.every((name) => attributes[name] !== undefined)) return;
  throw bad(
    file,
    `nothing in the file says what units its numbers are in, and the deck is in ${unitSystem(units).description}.`,
    'Say it beside file: units = { length = "kpc", mass = "1e10 Msun", velocity = "km/s" }, velocity = "G = 1" where it ' +
      'follows from the others, or units = "deck" if they are those of the deck.',
  );
}

function namedScales({ file, attributes }: FileClock, deck: DeckUnits, named: FileUnits): Omit<SnapshotScales, "time"> {
  const { units = "nbody" } = deck;
  if (units === "nbody") {
    throw bad(
      file,
      "the deck names units of the file, but is in n-body units itself, which are none of them.",
      'Leave units out, or set units.system = "galactic".',
    );
  }
  const own = unitSystem(units).snapshot;
  const of = (dimension: "length" | "mass") => {
    const measure = measureOf(dimension, named[dimension]);
    if (typeof measure !== "object") throw new Error(`no unit of ${dimension}: ${named[dimension]}`);
    const perH = units === "cosmological";
    const h = measure.perH === perH ? 1 : hubbleOf({ file, attributes }, deck);
    return { ...measure, h: perH ? h : 1 / h };
  };
  const [length, mass] = [of("length"), of("mass")];
  const found = measureOf("velocity", named.velocity);
  // h cancels in G M/L where both or neither are over h.
  const natural = naturalVelocity(length.size, mass.size) * (length.perH === mass.perH ? 1 : Number.NaN);
  const velocity = typeof found === "object" ? found.size : natural;
  if (!(velocity > 0)) throw bad(file, 'velocity = "G = 1" needs length and mass over h, or neither.');
  return {
    length: exactly(length.size / own.UnitLength_in_cm) * (1 / own.lengthFactor) * length.h,
    mass: exactly(mass.size / own.UnitMass_in_g) * mass.h,
    velocity: exactly(velocity / own.UnitVelocity_in_cm_per_s),
  };
}

const exactly = (ratio: number) => (Math.abs(ratio - 1) < 1e-12 ? 1 : ratio);

function hubbleOf({ file, attributes }: Pick<FileClock, "file" | "attributes">, { h }: DeckUnits): number {
  const own = fileCosmology(attributes).h ?? h;
  if (own !== undefined) return own;
  throw bad(file, "lengths or masses are over h in the file or in the deck alone, and neither says what h is.");
}
