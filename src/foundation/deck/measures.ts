/** Units by name: "kpc", "1e10 Msun", "Mpc/h", "km/s". Masses follow from G·M, so that G comes out right with them. */
import { ASTRONOMICAL_UNIT, JULIAN_YEAR, NEWTON_G, PARSEC, SOLAR_MASS_PARAMETER } from "./units.ts";

export const MEASURED_DIMENSIONS = ["length", "mass", "velocity"] as const;
export type MeasuredDimension = (typeof MEASURED_DIMENSIONS)[number];

export interface DeckMeasure {
  /** [cm], [g] or [cm/s] */
  size: number;
  /** Numbers are over h: "kpc/h". */
  perH: boolean;
}

const CM = 1e2;
const SUN = (SOLAR_MASS_PARAMETER / NEWTON_G) * 1e3;
const KPC = 1e3 * PARSEC;
const KM = 1e3;

/** By name [cm], [g], [cm/s]. */
const UNITS: Readonly<Record<MeasuredDimension, Readonly<Record<string, number>>>> = {
  length: {
    ...{ cm: 1, m: CM, km: KM * CM, AU: ASTRONOMICAL_UNIT * CM },
    ...{ pc: PARSEC * CM, kpc: KPC * CM, Mpc: 1e3 * KPC * CM, Gpc: 1e6 * KPC * CM },
  },
  mass: { g: 1, kg: 1e3, Msun: SUN },
  velocity: {
    ...{ "cm/s": 1, "m/s": CM, "km/s": KM * CM, "AU/yr": (ASTRONOMICAL_UNIT * CM) / JULIAN_YEAR },
    ...{ "pc/Myr": (PARSEC * CM) / (1e6 * JULIAN_YEAR), "kpc/Gyr": (KPC * CM) / (1e9 * JULIAN_YEAR) },
  },
};

/** The velocity that makes G = 1 with the units of length and mass, as n-body codes count. */
export const NATURAL = "G = 1";

/** A factor where there is one, a name, /h. */
const MEASURE = /^\s*(?:([0-9.]+(?:e[+-]?\d+)?)\s*\*?\s*)?([A-Za-z]+(?:\/(?!h\b)[A-Za-z]+)?)\s*(\/\s*h)?\s*$/i;

const isNatural = (text: string) => text.replaceAll(/\s/g, "").toUpperCase() === "G=1";

/** What `text` names; undefined where it names nothing. */
export function measureOf(dimension: MeasuredDimension, text: string): DeckMeasure | "natural" | undefined {
  if (dimension === "velocity" && isNatural(text)) return "natural";
  const [, factor = "1", name = "", perH] = MEASURE.exec(text) ?? [];
  const names = Object.keys(UNITS[dimension]);
  const known = names.find((one) => one === name) ?? names.find((one) => one.toLowerCase() === name.toLowerCase());
  const size = known === undefined ? Number.NaN : Number(factor) * UNITS[dimension][known];
  if (!(size > 0 && Number.isFinite(size)) || (perH && dimension === "velocity")) return undefined;
  return { size, perH: perH !== undefined };
}

export const unitNames = (dimension: MeasuredDimension): string[] => Object.keys(UNITS[dimension]);

/** The unit of velocity that makes G = 1 [cm/s], of lengths in [cm] and masses in [g]. */
export function naturalVelocity(length: number, mass: number): number {
  return Math.sqrt((NEWTON_G * 1e3 * mass) / length);
}

/** Codes round the parsec and the Sun's mass differently; within this it is the same unit. */
const SAME = 2e-3;

/** The key that says what a file's numbers are in, of units in [cm], [g] and [cm/s]. */
export function unitsKey(sizes: readonly number[], perH: "/h" | ""): string {
  const [length, mass, velocity] = MEASURED_DIMENSIONS.map((dimension, i) => unitText(dimension, sizes[i]));
  return `units = { length = "${length}${perH}", mass = "${mass}${perH}", velocity = "${velocity}" }`;
}

/** A size [cm], [g] or [cm/s] by name, where it is one of the usual ones. */
export function unitText(dimension: MeasuredDimension, size: number): string {
  const [base] = unitNames(dimension);
  const usual = { length: ["kpc", "Mpc", "pc"], mass: ["Msun"], velocity: ["km/s"] }[dimension];
  for (const name of usual) {
    for (const factor of dimension === "mass" ? [1, 1e10] : [1]) {
      if (Math.abs(size / (factor * UNITS[dimension][name]) - 1) < SAME) return factor === 1 ? name : `1e10 ${name}`;
    }
  }
  return `${Number(size.toPrecision(9))} ${base}`;
}
