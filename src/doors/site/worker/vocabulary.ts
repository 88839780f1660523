/** The vocabulary of decks as the page offers it: tables and keys of the schema, with meanings, units, words and ranges. */
import { z } from "zod";
import { type KeyInfo, keyInfo } from "../../../foundation/deck/keys.ts";
import type { UnitSystem } from "../../../foundation/deck/units.ts";
import { tomlValue } from "../../../scenario/deck.ts";
import { deckOrder, headerTable, type Shape, sections } from "../../../scenario/scenario.ts";
import type { DeckKey, DeckTable } from "../stage.ts";

/** As JSON Schema has it; of alternatives the first that isn't a word. */
function jsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const whole = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  return whole.anyOf?.find((one) => one.const === undefined) ?? whole;
}

const KINDS: Readonly<Record<string, DeckKey["kind"]>> = {
  ...{ number: "number", integer: "number", string: "text", boolean: "boolean", array: "list", object: "table" },
};

/** The bounds of a key's numbers, as far as there are any that say something. */
export function rangeOf(schema: z.ZodType): { least?: number; most?: number; above?: number } {
  const { minimum: least, maximum, exclusiveMaximum: most = maximum, exclusiveMinimum: above } = jsonSchema(schema);
  return {
    ...(isBound(least) && { least }),
    ...(isBound(most) && { most }),
    ...(isBound(above) && { above }),
  };
}

/** Integers are bounded by what float64 holds. */
const isBound = (value: unknown): value is number =>
  typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;

/** Units by name: "kpc" of a system that is known, else the dimension. */
export function unitOf({ unit }: Pick<KeyInfo, "unit">, system?: UnitSystem): string | undefined {
  if (unit === undefined) return undefined;
  const labels: Readonly<Record<string, string>> = system?.labels ?? {};
  return labels[unit] ?? unit;
}

function deckKey(key: string, schema: z.ZodType, info: KeyInfo): DeckKey {
  const without = schema.safeParse(undefined);
  const fallback = without.success && !info.derived ? without.data : undefined;
  const unit = unitOf(info);
  const filledIn = info.derived && !info.derived.text.startsWith("required");
  const kind = info.integer ? "integer" : (KINDS[String(jsonSchema(schema).type)] ?? "text");
  return {
    key,
    meaning: filledIn ? `${info.meaning}; when left out ${info.derived!.text}` : info.meaning,
    ...(unit !== undefined && { unit }),
    ...(info.choices && { values: info.choices }),
    ...(fallback !== undefined && { default: tomlValue(fallback, info.integer) }),
    kind,
    required: !(without.success || filledIn),
  };
}

function keysOf(shape: Shape): DeckKey[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const info = keyInfo(schema);
    return info ? [deckKey(key, schema, info)] : [];
  });
}

/** Every table of a deck, in its order; that above the first one has no name. */
export function vocabularyOf(): DeckTable[] {
  const head = { name: "", array: false, meaning: "What is simulated", keys: keysOf(headerTable.shape) };
  const tables = deckOrder.flatMap((section): DeckTable[] => {
    if (typeof section === "string") {
      const { shape, description = "" } = sections[section];
      return [{ name: section, array: false, meaning: description, keys: keysOf(shape) }];
    }
    const { name, about } = section;
    if ("schema" in section) return [{ name, array: true, meaning: about, keys: keysOf(section.schema.shape) }];
    const kind: DeckKey = {
      ...{ key: "kind", meaning: section.meaning, values: section.kinds.names, kind: "text", required: true },
    };
    return section.kinds.records.map((record) => ({
      ...{ name, array: true, kind: record.name, meaning: record.schema.description ?? about },
      keys: [kind, ...keysOf(record.schema.shape)],
    }));
  });
  return [head, ...tables];
}
