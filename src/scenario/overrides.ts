/**
 * `key=value` on the command line: the key is a path into the deck, the value is TOML or else a bare text.
 * A component is named by index (particles.0 or particles[0]), by its name, or by its kind where that is unique; a part
 * of a key may be quoted as in TOML (particles."my disk".mass). `seed=2` stands for the seeds of all components, and a table
 * in braces, box={size=10}, for its keys; others of that table stay as they are.
 */
import { parse } from "smol-toml";
import { nearestWord } from "../foundation/base/nearest-word.ts";
import { isTable, type RawTable } from "../foundation/deck/keys.ts";
import { type ArrayTables, namesOf, tablesOf } from "../foundation/deck/kinds.ts";
import { cut, displayPath, type Path } from "../foundation/deck/problems.ts";
import { unquoted } from "./locate.ts";
import { type Override, unknownKey } from "./problems.ts";
import { SEED, seedFault, shiftSeeds } from "./realisation.ts";
import { arraySectionOf, knownKey } from "./suggest.ts";

/** A problem of one override; all of them are reported together. */
class OverrideFault extends Error {}

function fail(message: string): never {
  throw new OverrideFault(message);
}

/** The right-hand side: a TOML value where it is one, otherwise the text itself. */
function parsedValue(source: string): unknown {
  try {
    const parsed = parse(`value = ${source}`);
    return Object.keys(parsed).length === 1 ? parsed.value : source;
  } catch {
    return source;
  }
}

/** A part of a key: quoted as in TOML, in brackets, or bare. */
const PART = /\s*("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]=]*\]|[^.[="']*[^.[="'\s])\s*/y;
const MOST_PARTS = 8;

/** `particles[0].count = 5` → ["particles", "0", "count"] and "5"; `particles."my disk".mass=2` likewise. */
function split(text: string): { parts: string[]; source: string } {
  const parts: string[] = [];
  let at = 0;
  while (parts.length <= MOST_PARTS) {
    PART.lastIndex = at;
    const part = PART.exec(text)?.[1];
    if (part === undefined || /^\[\s*\]$/.test(part)) break;
    at = PART.lastIndex;
    parts.push(unquoted(part.replace(/^\[\s*(.*?)\s*\]$/, "$1")));
    if (text[at] === "=") return { parts, source: text.slice(at + 1).trim() };
    if (text[at] === ".") at++;
    else if (text[at] !== "[") break;
  }
  const [key, ...value] = text.split("=");
  const found = value.length > 0 ? `the key ${JSON.stringify(cut(key))}` : "no equals sign";
  return fail(
    `expected key=value, such as mesh.cells=128, particles[0].count=1000 or particles."my disk".mass=2, found ${found}`,
  );
}

function tableIndex(reference: string, { name: section, noun, nouns }: ArrayTables, deck: RawTable): number {
  const tables = tablesOf(deck, section);
  if (/^\d+$/.test(reference)) {
    const index = Number(reference);
    if (index < tables.length) return index;
    const range = tables.length > 0 ? `0 to ${tables.length - 1}` : "none";
    fail(`no ${noun} ${reference}: the deck's ${nouns} are ${range}`);
  }
  const names = namesOf(tables);
  const byName = names.flatMap((name, i) => (name === reference ? [i] : []));
  const byKind = tables.flatMap(({ kind }, i) => (kind === reference ? [i] : []));
  const found = byName.length > 0 ? byName : byKind;
  if (found.length === 1) return found[0];
  if (found.length > 1) {
    const which = found.map((i) => `${section}[${i}]`).join(" or ");
    fail(`${found.length} ${nouns} are called "${reference}": use an index, ${which}`);
  }
  const near = nearestWord(reference, names);
  const advice = near ? `did you mean ${section}.${near}?` : `the deck's ${nouns} are ${names.join(", ")}`;
  fail(`no ${noun} "${reference}": ${advice}`);
}

/** Writes overrides into `deck`, in place and in order; those that can't be are returned with the reason. */
export function applyOverrides(
  texts: readonly string[],
  deck: RawTable,
): { overrides: Override[]; faults: { text: string; message: string }[] } {
  const overrides: Override[] = [];
  const faults: { text: string; message: string }[] = [];
  for (const text of texts) {
    try {
      overrides.push(...applyOverride(text, deck, overrides));
    } catch (error) {
      if (!(error instanceof OverrideFault)) throw error;
      faults.push({ text, message: error.message });
    }
  }
  return { overrides, faults };
}

/** The key that the parts name, with what is known of it; or a table, where `value` has entries for it. */
function located(parts: readonly string[], deck: RawTable, value?: unknown) {
  const path: (string | number)[] = [...parts];
  const section = arraySectionOf(path);
  if (section && parts.length > 1) path[1] = tableIndex(parts[1], section, deck);
  const known = knownKey(path, deck);
  const isKind = section && "kinds" in section && path.length === 3 && path[2] === "kind";
  const entries = isTable(value) && !known ? Object.entries(value) : [];
  if (!known && !isKind && entries.length === 0) {
    const seed = parts.length === 1 && nearestWord(parts[0], [SEED]);
    fail(seed ? `unknown key ${parts[0]}: did you mean ${seed}, of all components?` : unknownKey(path, deck).message);
  }
  return { path, known, entries };
}

/** Whether the key of an override takes whole numbers alone; undefined for one that `deck` can't have. */
export function takesWholeNumbers(key: string, deck: RawTable): boolean | undefined {
  try {
    const { parts } = split(`${key}=0`);
    if (isSeed(parts)) return true;
    return located(parts, deck).known?.info.integer ?? false;
  } catch (error) {
    if (error instanceof OverrideFault) return undefined;
    throw error;
  }
}

const isSeed = (parts: readonly string[]) => parts.length === 1 && parts[0] === SEED;

function applyOverride(text: string, deck: RawTable, earlier: readonly Override[]): Override[] {
  const { parts, source } = split(text);
  if (isSeed(parts)) {
    if (earlier.some((one) => isSeed(split(one.text).parts))) fail(`${SEED} is given twice`);
    const seed = parsedValue(source);
    const fault = seedFault(seed, deck);
    if (fault) fail(fault);
    return shiftSeeds(Number(seed), deck).map((path) => ({ text, path }));
  }
  return assigned(parts, parsedValue(source), deck, source).map((path) => ({ text, path }));
}

/** Writes a value, or each entry of a table that is no key itself; returns where. */
function assigned(parts: readonly string[], value: unknown, deck: RawTable, source?: string): Path[] {
  const { path, known, entries } = located(parts, deck, value);
  if (entries.length > 0) return entries.flatMap(([key, inner]) => assigned([...parts, key], inner, deck));
  for (let i = known?.path.length ?? path.length; i < path.length; i++) {
    if (/^\d+$/.test(parts[i])) path[i] = Number(parts[i]);
  }
  let table: RawTable = deck;
  for (const [i, part] of path.slice(0, -1).entries()) {
    const inner = Object.hasOwn(table, part) ? table[part] : undefined;
    if (inner === undefined && i < 1) table[part] = Object.create(null);
    else if (typeof inner !== "object" || inner === null) {
      const found = inner === undefined ? "not set; give it whole" : JSON.stringify(inner);
      fail(`${displayPath(path.slice(0, i + 1))} holds no keys: it is ${found}`);
    }
    table = table[part] as RawTable;
  }
  // A title of 2024 is a text all the same.
  const isText = source !== undefined && known?.info.type === "text" && typeof value !== "string";
  table[path[path.length - 1]] = isText ? source : value;
  return [path];
}
