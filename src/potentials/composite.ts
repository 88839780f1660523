/** Kinds of [[potential]] tables that stand for several potentials at one place. */
import { z } from "zod";
import type { ExternalPotential } from "./potential.ts";
import { tableKeys } from "./table-keys.ts";

export type CompositePart = Pick<ExternalPotential, "kind" | "parameters">;

export interface CompositeDefinition<K extends string> {
  /** The deck's kind. */
  name: string;
  /** One line with its source, no full stop. */
  meaning: string;
  keys: Record<K, z.ZodType<number>>;
  /** What it consists of, in deck units, as G is. */
  parts(p: Readonly<Record<NoInfer<K>, number>>, G: number): CompositePart[];
}

export interface CompositeRecord extends CompositeDefinition<string> {
  schema: z.ZodObject;
}

export function compositePotential<const N extends string, S extends Readonly<Record<string, z.ZodType<number>>>>(
  definition: CompositeDefinition<Extract<keyof S, string>> & { name: N; keys: S },
) {
  const { name, meaning, keys } = definition;
  const schema = z.strictObject({ kind: z.literal(name), ...tableKeys, ...keys });
  return { ...definition, schema: schema.describe(meaning) as z.ZodObject };
}
