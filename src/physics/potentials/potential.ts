/** External potentials, given fields that add to the particles' own; all that is known of a kind is in its record. */
import { z } from "zod";
import { type Dimension, keyInfo, optional, vector } from "../../foundation/deck/keys.ts";
import { galaxyKey, nameKey } from "../../foundation/deck/kinds.ts";
import type { Path, Problem } from "../../foundation/deck/problems.ts";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { Parameters, PotentialFormula } from "./formula.ts";
import { type Changes, changeKeys, turnKeys } from "./motion.ts";

/** A potential at its place, and how it changes there. */
export interface ExternalPotential extends Changes {
  kind: string;
  /** Box coordinates [length]. */
  centre: [number, number, number];
  /** The record's keys, in deck units. */
  parameters: Readonly<Record<string, number>>;
}

/** `name` in WGSL is camelCase: "two words" or "two-words" is `twoWords`, its struct `TwoWords`. */
export interface PotentialDefinition<K extends string = string> {
  name: string;
  /** One line with formula and source, no full stop. */
  meaning: string;
  /** Number keys made with foundation/deck/keys.ts; at most 8. Kernels in other units convert them by their `unit`. */
  keys: Record<K, z.ZodType<number>>;
  formula: PotentialFormula<NoInfer<K>>;
  /** It has a frame, whose long axis is x, that may turn about the z axis: a bar. */
  turns?: boolean;
  /** Its snap, which Hermite 6 takes, isn't continuous. */
  snapJumps?: true;
  /** Of a table that is at a path of the deck. */
  problems?(p: never, at: Path): Problem[];
  /** Further arguments of its kernel, because it would cost too much there; with the keys at most 8. */
  constants?: Record<string, (p: Parameters<NoInfer<K>>) => number>;
  /**
   * The same in WGSL, in float32. With `p` a struct of the keys and constants, masses as G·M, it defines
   *   fn nameField(p: Name, d: vec3f) -> vec4f                            acceleration and potential, and
   *   fn nameStrength(p: Name, r2: vec3f) -> vec3f                        f of a spherical one at r², both as jets, or
   *   fn nameStrengths(p: Name, squares: mat3x3f) -> mat3x3f              the fᵢ of a symmetric one, jets in the columns, or
   *   fn nameForces(p: Name, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives   acceleration, jerk, snap of any other
   */
  kernel: WgslSource;
}

export interface PotentialRecord extends PotentialDefinition {
  /** The [[potential]] table of this kind; described with the meaning. */
  schema: z.ZodObject;
}

const tableKeys = {
  name: nameKey,
  galaxy: galaxyKey,
  offset: optional(vector, [0, 0, 0], {
    unit: "length",
    meaning: "centre, from the centre of the box, or of its galaxy",
  }),
  ...changeKeys,
};

type KeySchemas = Readonly<Record<string, z.ZodType<number>>>;
/** Of a composite, whose keys may be lists. */
type CompositeSchemas = Readonly<Record<string, z.ZodType<number | number[]>>>;

/** A [[potential]] table as a program writes it; `T`: its kind has a frame. */
export type PotentialTable<N extends string, S extends CompositeSchemas, T extends boolean = false> = {
  kind: N;
} & z.input<z.ZodObject<typeof tableKeys>> &
  z.input<z.ZodObject<S>> &
  (T extends true ? z.input<z.ZodObject<typeof turnKeys>> : unknown);

const tableOf = ({ name, meaning, keys }: Pick<CompositeRecord, "name" | "meaning" | "keys">, more = {}): z.ZodObject =>
  z.strictObject({ kind: z.literal(name), ...tableKeys, ...keys, ...more }).describe(meaning);

/** A record for the list of potentials.ts, or for registerPotential(). */
export function externalPotential<const N extends string, S extends KeySchemas, const T extends boolean = false>(
  definition: PotentialDefinition<Extract<keyof S, string>> & { name: N; keys: S; turns?: T },
) {
  return { ...definition, schema: tableOf(definition, definition.turns ? turnKeys : {}) };
}

export type CompositePart = Pick<ExternalPotential, "kind" | "parameters">;

/** A kind of [[potential]] tables that stands for several potentials at one place. */
export interface CompositeRecord
  extends Pick<PotentialRecord, "name" | "meaning" | "schema" | "snapJumps" | "problems"> {
  keys: CompositeSchemas;
  /** What it consists of, in deck units, as G is. */
  parts(p: never, G: number): CompositePart[];
  /** One phrase on what it has become, for the start of a run. */
  note?(p: never): string;
}

/** Values of a composite's keys. */
export type CompositeValues<S extends CompositeSchemas> = { readonly [K in keyof S]: z.output<S[K]> };

export function compositePotential<const N extends string, S extends CompositeSchemas>(
  definition: Omit<CompositeRecord, "schema" | "parts" | "problems" | "note"> & { name: N; keys: S } & {
    parts(p: CompositeValues<S>, G: number): CompositePart[];
    problems?(p: CompositeValues<S>, at: Path): Problem[];
    note?(p: CompositeValues<S>): string;
  },
) {
  return { ...definition, schema: tableOf(definition) };
}

/** What values become in other units, by dimension. */
export type Conversion = Partial<Record<Dimension, (value: number) => number>>;

/** Values in the order of the record's keys, each in the units that `convert` gives its dimension. */
export function convertedParameters(
  { keys }: Pick<PotentialRecord, "keys">,
  parameters: ExternalPotential["parameters"],
  convert: Conversion,
): [key: string, value: number][] {
  return Object.entries(keys).map(([key, schema]) => {
    const value = parameters[key];
    return [key, convert[keyInfo(schema)?.unit as Dimension]?.(value) ?? value];
  });
}
