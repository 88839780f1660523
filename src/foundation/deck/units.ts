/**
 * Unit systems: the gravitational constant in deck units, labels, and the factors of a snapshot file. G in [length ·
 * velocity² / mass] follows from G·M☉ and the parsec alone,
 *   G = GM☉ · 10¹⁰ / (kpc · (km/s)²) = 43009.17… kpc (km/s)² / 10¹⁰ M☉,
 * with the nominal solar mass parameter (IAU 2015 B3), the astronomical unit (IAU 2012 B2) and the parsec, au · 648000/π
 * (IAU 2015 B2), all exact. CODATA 2018 G enters only where a mass is wanted in grams (2·10⁻⁵ relative uncertainty).
 */
import type { Dimension } from "./keys.ts";

export const UNIT_SYSTEM_NAMES = ["nbody", "galactic", "cosmological"] as const;
export type UnitSystemName = (typeof UNIT_SYSTEM_NAMES)[number];

/** [m³ s⁻²] */
export const SOLAR_MASS_PARAMETER = 1.3271244e20;
/** [m] */
export const ASTRONOMICAL_UNIT = 149_597_870_700;
/** [m] */
export const PARSEC = (ASTRONOMICAL_UNIT * 648_000) / Math.PI;
/** [m³ kg⁻¹ s⁻²] */
export const NEWTON_G = 6.6743e-11;
/** Julian year, IAU [s]. */
export const JULIAN_YEAR = 365.25 * 86_400;

const KPC = 1e3 * PARSEC;
const KM = 1e3;
const CM_PER_M = 100;
const MASS_UNIT_IN_SUNS = 1e10;
/** 10¹⁰ M☉ [g] */
const MASS_UNIT_IN_G = ((MASS_UNIT_IN_SUNS * SOLAR_MASS_PARAMETER) / NEWTON_G) * 1e3;
/** [kpc (km/s)² / 10¹⁰ M☉] */
const GALACTIC_G = (SOLAR_MASS_PARAMETER * MASS_UNIT_IN_SUNS) / (KPC * KM * KM);
/** kpc/(km/s) in 10⁹ years: 0.97779… */
const KPC_PER_KM_S_IN_GYR = KPC / KM / (JULIAN_YEAR * 1e9);

/** The units of a GADGET file; masses and velocities have the deck's values there. */
export interface SnapshotUnits {
  /** File value / deck value. */
  lengthFactor: number;
  /** Attributes of /Parameters; per h in the cosmological system, as GADGET has it. */
  UnitLength_in_cm: number;
  UnitMass_in_g: number;
  UnitVelocity_in_cm_per_s: number;
}

export interface UnitSystem {
  name: UnitSystemName;
  /** One line for a person. */
  description: string;
  /** [length · velocity² / mass] */
  G: number;
  /** For axes, tables and comments. */
  labels: Record<Dimension, string>;
  /** One time unit in 10⁹ years (10⁹ years / h in the cosmological system); undefined where units are free. */
  timeInGyr: number | undefined;
  snapshot: SnapshotUnits;
}

/** What yt takes any GADGET-4 file to hold, whatever its attributes say: kpc (or kpc/h), 10¹⁰ M☉ (/h), km/s. */
const GADGET_UNITS: SnapshotUnits = {
  lengthFactor: 1,
  UnitLength_in_cm: KPC * CM_PER_M,
  UnitMass_in_g: MASS_UNIT_IN_G,
  UnitVelocity_in_cm_per_s: KM * CM_PER_M,
};

const UNIT_SYSTEMS: Record<UnitSystemName, UnitSystem> = {
  nbody: {
    name: "nbody",
    description: "G = 1, no physical units",
    G: 1,
    labels: {
      ...{ length: "length units", mass: "mass units", velocity: "velocity units", time: "time units" },
      ...{ frequency: "1/time unit", acceleration: "acceleration units" },
    },
    timeInGyr: undefined,
    // Numbers go into the file unchanged. Readers insist on physical units, so the file declares kpc and 10¹⁰ M☉
    // (what yt assumes anyway) and the one velocity unit that makes G = 1 with them, 207.4 km/s: every derived
    // quantity that a reader forms with the physical G (free-fall time, virial ratio) then comes out right.
    snapshot: {
      ...GADGET_UNITS,
      UnitVelocity_in_cm_per_s: Math.sqrt(GALACTIC_G) * KM * CM_PER_M,
    },
  },
  galactic: {
    name: "galactic",
    description: "kpc, 1e10 Msun, km/s",
    G: GALACTIC_G,
    labels: {
      ...{ length: "kpc", mass: "1e10 Msun", velocity: "km/s", time: "kpc/(km/s)" },
      ...{ frequency: "km/s/kpc", acceleration: "(km/s)²/kpc" },
    },
    timeInGyr: KPC_PER_KM_S_IN_GYR,
    snapshot: GADGET_UNITS,
  },
  cosmological: {
    name: "cosmological",
    description: "Mpc/h, 1e10 Msun/h, km/s",
    // h cancels: (Mpc/h) (km/s)² / (10¹⁰ M☉/h).
    G: GALACTIC_G / 1e3,
    labels: {
      ...{ length: "Mpc/h", mass: "1e10 Msun/h", velocity: "km/s", time: "Mpc/h/(km/s)" },
      ...{ frequency: "km/s/(Mpc/h)", acceleration: "(km/s)²/(Mpc/h)" },
    },
    timeInGyr: KPC_PER_KM_S_IN_GYR * 1e3,
    // The file is in kpc/h, because yt takes every GADGET file to be.
    snapshot: { ...GADGET_UNITS, lengthFactor: 1e3 },
  },
};

export function unitSystem(name: UnitSystemName): UnitSystem {
  return UNIT_SYSTEMS[name];
}

/** All of them, in the order of the documentation. */
export const unitSystems: readonly UnitSystem[] = Object.values(UNIT_SYSTEMS);
