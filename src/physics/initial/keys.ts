/** Keys that several models share, and the defaults that depend on the rest of the deck. */
import { z } from "zod";
import {
  type DerivedDefault,
  derived,
  entry,
  flag,
  integer,
  isTable,
  LARGEST_U32,
  nonNegative,
  optional,
  positive,
  positiveNumber,
  type RawTable,
  required,
  STAND_IN,
} from "../../foundation/deck/keys.ts";
import { tablesOf } from "../../foundation/deck/kinds.ts";

export const count = required(integer(1, LARGEST_U32), { meaning: "number of particles" });
export const mass = required(nonNegative, {
  unit: "mass",
  meaning: "total mass; 0: tracers, which are attracted and attract nothing",
});
/** The key `mass` of a sphere whose live particles hold what the cut-off leaves. */
export const profileMass = required(nonNegative, {
  unit: "mass",
  meaning: "mass M of the profile to infinity; live particles hold what the cutoff leaves of it; 0: tracers",
});

/** The scenario's checks allow 0 for a rigid component alone. */
export const countUnlessRigid = derived(
  { ...integer(1, LARGEST_U32), schema: () => z.int().min(0).max(LARGEST_U32) },
  { text: "required, 0 if rigid", value: ({ table }) => (table.rigid === true ? 0 : undefined) },
  { meaning: "number of particles" },
);

export const centre = optional(flag, true, {
  meaning:
    "subtracts the sample's mean position and velocity, so that the component rests at its centre; tracers keep theirs",
});

export const rigid = optional(flag, false, {
  meaning: "a fixed external field instead of particles; isolated box only",
});

/** `value` in N-body units, where G = M = 1 and E = −1/4 (Hénon units); required in others. */
export const henonUnits = (shown: string, value: number): DerivedDefault => ({
  text: `required, ${shown} in nbody units`,
  value: ({ deck }) => ((entry(deck, "units", "system") ?? "nbody") === "nbody" ? value : undefined),
});

export const henonMass = derived(positive, henonUnits("1", 1), { unit: "mass", meaning: "total mass" });
export const clusterMass = derived(nonNegative, henonUnits("1", 1), {
  unit: "mass",
  meaning: "total mass: of the particles, all inside the cutoff; if rigid, to infinity; 0: tracers",
});

export const ofBox = (share: number, text: string): DerivedDefault => ({
  text,
  value: ({ deck }) => share * (positiveNumber(entry(deck, "box", "size")) ?? STAND_IN),
});

/** The part of the half box that a default cut-off may fill: clear of the mesh's edges from about 70 cells up. */
const FILLED_HALF_BOX = 0.9;

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((x) => typeof x === "number");

/** Largest |offset| along an axis. */
function reach({ offset }: RawTable): number {
  return isVector(offset) ? Math.max(0, ...offset.map(Math.abs)) : 0;
}

/** How far at most a component's centre is from the middle of the box along an axis, with its galaxy, on whatever orbit. */
function reachInGalaxy(table: RawTable, deck: RawTable): number {
  const galaxies = tablesOf(deck, "galaxy");
  const own = galaxies.find(({ name }) => name === table.galaxy);
  if (!own) return reach(table);
  const orbits = galaxies.map(({ orbit }) => (isTable(orbit) ? (positiveNumber(orbit.separation) ?? 0) : 0));
  const { offset } = table;
  return reach({ offset: own.centre }) + Math.max(...orbits) + (isVector(offset) ? Math.hypot(...offset) : 0);
}

/** By default `multiple` times the length under `key`, or the largest sphere about the component that fits the box. */
export function cutoffFrom(key: string, multiple: number, meaning: string) {
  const rule: DerivedDefault = {
    text: `${multiple} × ${key}, or what fits the box`,
    value({ deck, table }) {
      const scale = positiveNumber(table[key]);
      const size = positiveNumber(entry(deck, "box", "size"));
      if (scale === undefined || size === undefined) return STAND_IN;
      const room = size / 2 - (entry(deck, "box", "boundary") === "periodic" ? 0 : reachInGalaxy(table, deck));
      return room > 0 ? Math.min(multiple * scale, FILLED_HALF_BOX * room) : STAND_IN;
    },
  };
  return derived(positive, rule, { unit: "length", meaning });
}
