/**
 * Arrays of tables whose keys depend on their `kind`, [[particles]] and its like: the kinds are the records of a
 * registry, and every table has a name of its own.
 */
import { z } from "zod";
import type { Registry } from "../registry.ts";
import { type DerivedDefault, derived, isTable, kindOfValue, type RawTable } from "./keys.ts";

export interface KindTables {
  /** Of the section: "particles" for [[particles]]. */
  readonly name: string;
  /** What one table is called in messages: "component". */
  readonly noun: string;
  /** What the tables are, for the documentation; no full stop. */
  readonly about: string;
  /** What its kind chooses. */
  readonly meaning: string;
  /** Tables that a deck needs. */
  readonly least: 0 | 1;
  /** Each schema has the literal `kind` = name, and the key `name`; what it is `describe`d with says what the kind is. */
  readonly kinds: Registry<{ readonly name: string; readonly schema: z.ZodObject }>;
}

/** All tables of a section in an unchecked deck; what isn't a table is an empty one. */
export function tablesOf(deck: RawTable, section: string): RawTable[] {
  const list = deck[section];
  return Array.isArray(list) ? list.map((table) => (isTable(table) ? table : {})) : [];
}

/** What each table is called: its name, or else its kind, numbered when that is taken. */
export function namesOf(tables: readonly unknown[]): string[] {
  const found = tables.map((table) => (isTable(table) ? table : {}));
  const taken = new Set(found.map(({ name }) => name));
  const numbers = new Map<unknown, number>();
  return found.map(({ name: own, kind }) => {
    if (own !== undefined) return wordOf(own);
    const called = wordOf(kind);
    let name = called;
    let n = numbers.get(called) ?? 1;
    while (taken.has(name)) name = `${called}-${++n}`;
    numbers.set(called, n);
    taken.add(name);
    return name;
  });
}

/** What can't be a name, since it is no text, is refused elsewhere. */
const wordOf = (value: unknown) => (typeof value === "object" && value !== null ? "table" : String(value));

/** Names appear in tables and in overrides (particles.NAME.key=value), so they are plain words. */
const plainName = kindOfValue(
  () => z.string().regex(/^\p{L}[\p{L}\p{N} _-]*$/u),
  "a name of letters, digits, spaces, - and _ that begins with a letter",
  "text",
);

const nameOfKind: DerivedDefault = { text: "the kind", value: ({ siblings, index }) => namesOf(siblings)[index] };

/** The key `name` of every such table. */
export const nameKey = derived(plainName, nameOfKind, {
  meaning: "label in diagnostics and reports, and in overrides",
});
