/**
 * Problems of a deck, as messages: where, which key, what was expected, what was found, what to try. All of it
 * goes into one GravmeshError, a line each.
 */
import type { z } from "zod";
import { GravmeshError } from "../foundation/base/errors.ts";
import { nearestWord } from "../foundation/base/nearest-word.ts";
import { isTable, type KeyInfo, type RawTable } from "../foundation/deck/keys.ts";
import { tablesOf } from "../foundation/deck/kinds.ts";
import { cut, displayPath, mismatch, type Path, type Problem } from "../foundation/deck/problems.ts";
import type { Locator } from "./locate.ts";
import { arraySectionOf, keysIn, knownKey, nearestKey } from "./suggest.ts";

export interface Override {
  text: string;
  path: Path;
}

const LONGEST_OVERRIDE = 200;
/** The meaning of so many unknown keys in a table is guessed at. */
const MOST_UNKNOWN = 50;
const MOST_TOLD = 20;

/** The problems one by one, which the error's message has together. */
export class DeckError extends GravmeshError {
  constructor(
    message: string,
    readonly problems: readonly DeckProblem[],
    options?: ErrorOptions,
  ) {
    super("scenario", message, options);
  }
}

interface DeckProblem {
  message: string;
  /** From 1; undefined for what no line is to blame for, an override among them. */
  line?: number | undefined;
}

/** Where a deck came from, to say where a problem is. */
export interface Origin {
  file: string;
  locator?: Locator;
  overrides: readonly Override[];
}

/** What a deck itself has at a path, which may be anything that a user writes: "constructor" and "length" are no keys. */
export const deckValue = (deck: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, part) => {
    const isThere = typeof value === "object" && Object.prototype.propertyIsEnumerable.call(value ?? {}, part);
    return isThere ? (value as Record<PropertyKey, unknown>)[part] : undefined;
  }, deck);

function missing(path: Path, deck: RawTable, expected: string, meaning: string): Problem {
  const name = path[path.length - 1];
  const section = arraySectionOf(path)?.name;
  const inner = path.length > 3 ? `the table ${path[2]} of ` : "";
  const table = section ? `${inner}this [[${section}]] table` : path.length > 1 ? `[${path[0]}]` : undefined;
  const kind = section && tablesOf(deck, section)[Number(path[1])]?.kind;
  const owner = typeof kind === "string" ? ` of kind "${kind}"` : "";
  const where = table ? `Add it to ${table}${owner}` : "Add it above the first table";
  const message = `${displayPath(path)} is missing: expected ${expected} (${meaning}). ${where}: ${name} = …`;
  return { path, message };
}

/** `path` isn't a key: which was meant, or which there are. */
export function unknownKey(path: Path, deck: RawTable): Problem {
  const what = isTable(deckValue(deck, path)) ? "table" : "key";
  const said = (advice: string) => ({ path, message: `unknown ${what} ${displayPath(path)}${advice}` });
  const near = nearestKey(path, deck);
  if (near) return said(`: did you mean ${displayPath(near)}?`);
  let table = path.slice(0, -1);
  while (table.length > 0 && keysIn(table, deck).length === 0) table = table.slice(0, -1);
  const place = table.length > 0 ? displayPath(table) : "the deck";
  return said(`. Known in ${place}: ${keysIn(table, deck).join(", ")}`);
}

function wrongValue(path: Path, deck: RawTable): Problem {
  const key = knownKey(path, deck);
  if (!key) return wrongTable(path, deck, deckValue(deck, path));
  const { info } = key;
  const found = deckValue(deck, key.path);
  if (found === undefined) return missing(key.path, deck, info.expected, info.meaning);
  return mismatch(key.path, info.expected, found, hintFor(found, info));
}

function hintFor(found: unknown, info: KeyInfo): string | undefined {
  const special = info.hint?.(found);
  if (special) return special;
  if (typeof found !== "string") return undefined;
  const word = info.choices && nearestWord(found, info.choices);
  if (word) return `Did you mean "${word}"?`;
  const bare = found.trim();
  const words = info.type === "[text, …]" && /^\[([\w ,-]*[A-Za-z][\w ,-]*)\]$/.exec(bare);
  if (words) {
    const quoted = words[1].split(",").map((one) => JSON.stringify(one.trim()));
    return `Put its words into quotes: [${quoted.join(", ")}]`;
  }
  const isValue =
    bare !== "" && (Number.isFinite(Number(bare.replaceAll("_", ""))) || /^(true|false|\[.*\])$/.test(bare));
  return isValue && !info.choices && info.type !== "text" ? `Write it without quotes: ${bare}` : undefined;
}

/** Something that isn't a key but a table, a list of tables or a component without a kind. */
function wrongTable(path: Path, deck: RawTable, value: unknown): Problem {
  const name = displayPath(path);
  const section = arraySectionOf(path);
  if (section && "kinds" in section && path.length === 3 && path[2] === "kind") {
    const kinds = section.kinds.names;
    const expected = `one of ${kinds.map((kind) => `"${kind}"`).join(", ")}`;
    if (value === undefined) return missing(path, deck, expected, section.meaning);
    const near = typeof value === "string" ? nearestWord(value, kinds) : undefined;
    return mismatch(path, expected, value, near && `Did you mean "${near}"?`);
  }
  if (section && path.length === 1) {
    const { noun, least } = section;
    const key = "kinds" in section ? `kind = "${section.kinds.names[0]}" or another` : "its name";
    const hint = `Write one [[${name}]] table, in double brackets, for each ${noun}, with ${key}`;
    const found = Array.isArray(value) && value.length === 0 ? undefined : value;
    return mismatch(path, least > 0 ? `at least one ${noun}` : `tables [[${name}]]`, found, hint);
  }
  return mismatch(path, "a table", value, `Write [${name}] on a line of its own, then its keys`);
}

/** Problems for zod's issues with `deck`; a key that is missing because it is misspelt is listed once. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], deck: RawTable): Problem[] {
  const unknown: Problem[] = [];
  const wrong: Problem[] = [];
  const meant: Path[] = [];
  for (const issue of issues) {
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    if (issue.code !== "unrecognized_keys") {
      wrong.push(wrongValue(path, deck));
      continue;
    }
    const keys = issue.keys.slice(0, MOST_UNKNOWN);
    if (keys.length < issue.keys.length) {
      const place = path.length > 0 ? displayPath(path) : "the deck";
      unknown.push({ path, message: `${place}: ${issue.keys.length} unknown keys in all` });
    }
    for (const key of keys) {
      unknown.push(unknownKey([...path, key], deck));
      const near = nearestKey([...path, key], deck);
      if (near) meant.push(near);
    }
  }
  const isExplained = ({ path }: Problem) =>
    deckValue(deck, path) === undefined && meant.some((near) => startsWith(path, near));
  return [...unknown, ...wrong.filter((problem) => !isExplained(problem))];
}

function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((part, i) => String(part) === String(path[i]));
}

function placeOf({ path }: Problem, origin: Origin): { text: string; line: number } {
  const override = origin.overrides.findLast((one) => startsWith(path, one.path) || startsWith(one.path, path));
  // A table that the file has too is the file's business, unless the override made it.
  if (override && (startsWith(path, override.path) || !origin.locator?.at(path))) {
    return { text: `override ${cut(override.text, LONGEST_OVERRIDE)}`, line: Number.POSITIVE_INFINITY };
  }
  const exact = origin.locator?.at(path);
  if (exact) return { text: `${origin.file}:${exact.line}:${exact.column}`, line: exact.line };
  const near = origin.locator?.around(path);
  return near ? { text: `${origin.file}:${near.line}`, line: near.line } : { text: origin.file, line: 0 };
}

/** One error for all of them, in the order of the file, then those of the command line. */
export function scenarioError(
  problems: readonly Problem[],
  origin: Origin,
  faults: readonly { text: string; message: string }[] = [],
): DeckError {
  const placed = problems
    .map((problem) => ({ place: placeOf(problem, origin), message: problem.message }))
    .sort((a, b) => (a.place.line < b.place.line ? -1 : Number(a.place.line > b.place.line)));
  // By its text, so that none is there twice.
  const all = new Map<string, DeckProblem>();
  for (const { place, message } of placed) {
    const text = `${place.text}: ${message}`;
    all.set(text, place.line > 0 && Number.isFinite(place.line) ? { message, line: place.line } : { message: text });
  }
  for (const fault of faults) {
    const message = `override ${cut(fault.text, LONGEST_OVERRIDE)}: ${fault.message}`;
    all.set(message, { message });
  }
  const lines = [...all.keys()];
  const first = [...all.values()].slice(0, MOST_TOLD);
  if (lines.length === 1) return new DeckError(lines[0], first);
  const shown = lines.slice(0, MOST_TOLD);
  if (lines.length > MOST_TOLD) shown.push(`… and ${lines.length - MOST_TOLD} more`);
  return new DeckError(`${origin.file}: ${lines.length} problems\n  ${shown.join("\n  ")}`, first);
}
