/**
 * The names and numbers of a GADGET-4 snapshot (Springel et al. 2021, MNRAS 506, 2871, section 7.4; code
 * documentation "Format of the snapshot files"), apart from any HDF5 library.
 */
import type { LevelCore } from "../../physics/particles/level-core.ts";
import { type ComponentRange, galaxyNames, SPECIES } from "../../physics/particles/state.ts";

/** SPECIES lists them by number, 0 to 5. */
export const PARTICLE_TYPES = SPECIES.length;

/**
 * Exponents of a dataset's units, length^L mass^M velocity^V, and of the scale factor and h in a comoving file: physical
 * = a^a h^h · stored. Velocities are stored as u = v/√a with the peculiar velocity v.
 */
export const DATASET_UNITS = {
  Coordinates: { a: 1, h: -1, length: 1, mass: 0, velocity: 0 },
  Velocities: { a: 0.5, h: 0, length: 0, mass: 0, velocity: 1 },
  Masses: { a: 0, h: -1, length: 0, mass: 1, velocity: 0 },
  Potential: { a: -1, h: 0, length: 0, mass: 0, velocity: 2 },
  Acceleration: { a: -2, h: 1, length: -1, mass: 0, velocity: 2 },
} as const;

export type DatasetName = keyof typeof DATASET_UNITS | "ParticleIDs" | "GalaxyIDs";

export const UNIT_NAMES = ["UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"] as const;

export type ParameterValue = number | string | number[];

const FLAGS = ["Sfr", "Cooling", "StellarAge", "Metals", "Feedback", "DoublePrecision"];

/** What else readers of GADGET-2's HDF5 ask of /Header: totals end at 2^32, and there is no physics but gravity. */
export const flagsOf = (double: boolean): Record<string, Int32Array | Uint32Array> => ({
  NumPart_Total_HighWord: new Uint32Array(PARTICLE_TYPES),
  ...Object.fromEntries(
    FLAGS.map((name, i) => [`Flag_${name}`, Int32Array.of(double && i === FLAGS.length - 1 ? 1 : 0)]),
  ),
});

/** Side of the box as a header has it, as one number or for each axis [file's unit]; 0 where it has none. */
export function sideOf({ BoxSize = 0 }: Readonly<Record<string, ParameterValue>>): number {
  return Number(Array.isArray(BoxSize) ? BoxSize[0] : BoxSize);
}

/** What a deck holds, under dotted names: { "mesh.cells": 128, "particles.0.kind": "plummer", … }. */
export function deckParameters(deck: object): Record<string, ParameterValue> {
  const flat: Record<string, ParameterValue> = {};
  const visit = (name: string, value: unknown): void => {
    if (typeof value === "number" || typeof value === "string") flat[name] = value;
    else if (typeof value === "boolean") flat[name] = value ? 1 : 0;
    else if (Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === "number")) flat[name] = value;
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(name === "" ? key : `${name}.${key}`, inner);
    }
  };
  visit("", deck);
  return flat;
}

/** Component ranges under dotted names, and the names of galaxies by their number in GalaxyIDs, from 1 on. */
export function componentParameters(components: readonly ComponentRange[]): Record<string, ParameterValue> {
  const flat: Record<string, ParameterValue> = { "components.number": components.length };
  const galaxies = galaxyNames(components);
  if (galaxies.length > 0) flat["galaxies.number"] = galaxies.length;
  for (const [k, name] of galaxies.entries()) flat[`galaxies.${k + 1}.name`] = name;
  for (const [i, { name, species, galaxy, first, count }] of components.entries()) {
    Object.assign(flat, deckParameters({ [`components.${i}`]: { galaxy, name, species, first, count } }));
  }
  return flat;
}

/** Cores of levels under dotted names, lengths times `factor`. */
export function coreParameters(cores: readonly LevelCore[], factor: number): Record<string, ParameterValue> {
  const levels = cores.map(({ name, h, halfWidth, centre }) => ({
    ...{ name, h: factor * h, halfWidth: factor * halfWidth, centre: centre.map((x) => factor * x) },
  }));
  return deckParameters({ levels: { ...levels } });
}

/** The inverse; only those of which all is there. */
export function coresOf(parameters: Readonly<Record<string, ParameterValue>>, factor: number): LevelCore[] {
  const found: LevelCore[] = [];
  for (let l = 0; typeof parameters[`levels.${l}.name`] === "string"; l++) {
    const [name, h, halfWidth, centre] = ["name", "h", "halfWidth", "centre"].map(
      (key) => parameters[`levels.${l}.${key}`],
    );
    const numbers = [h, halfWidth, ...(Array.isArray(centre) ? centre : [])].map(Number);
    if (numbers.length !== 5 || !numbers.every(Number.isFinite)) continue;
    const [side, half, ...place] = numbers.map((x) => factor * x);
    found.push({ name: String(name), h: side, halfWidth: half, centre: place });
  }
  return found;
}

/** The inverse of componentParameters; undefined unless the ranges tile 0…count−1 as ours do. */
export function componentsOf(
  parameters: Readonly<Record<string, ParameterValue>>,
  count: number,
): ComponentRange[] | undefined {
  const number = parameters["components.number"];
  if (typeof number !== "number") return undefined;
  const components: ComponentRange[] = [];
  let next = 0;
  for (let i = 0; i < number; i++) {
    const name = parameters[`components.${i}.name`];
    const species = SPECIES.find((s) => s === parameters[`components.${i}.species`]);
    const length = parameters[`components.${i}.count`];
    const galaxy = parameters[`components.${i}.galaxy`];
    if (typeof name !== "string" || species === undefined || typeof length !== "number") return undefined;
    if (parameters[`components.${i}.first`] !== next) return undefined;
    components.push({ name, species, ...(typeof galaxy === "string" && { galaxy }), first: next, count: length });
    next += length;
  }
  return next === count ? components : undefined;
}
