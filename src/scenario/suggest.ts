/** Which keys a deck knows, and which of them an unknown one was probably meant to be. */
import { edits, foldedName, TOLERANCE } from "../foundation/base/nearest-word.ts";
import { type KeyInfo, keyInfo, type RawTable } from "../foundation/deck/keys.ts";
import { schemaOf, tablesOf } from "../foundation/deck/kinds.ts";
import type { Path } from "../foundation/deck/problems.ts";
import { arraySections, type DeckSection, headerTable, type Shape, sections } from "./scenario.ts";

/** Edits allowed per letter of a whole path before two count as different. */
const TOLERANCE_FULL_PATH = 0.25;

/** The section [[name]] that a path begins with, if there is one. */
export function arraySectionOf(path: Path) {
  return arraySections.find(({ name }) => name === path[0]);
}

/** The keys of the table at `path`; undefined when there is no such table in any deck. */
function shapeAt(path: Path, deck: RawTable): Shape | undefined {
  if (path.length === 0) return headerTable.shape;
  if (path.length === 1 && Object.hasOwn(sections, path[0])) return sections[path[0] as DeckSection].shape;
  const section = path.length === 2 ? arraySectionOf(path) : undefined;
  if (section) return schemaOf(section, tablesOf(deck, section.name)[Number(path[1])] ?? {})?.shape;
  const last = path.length > 1 ? shapeAt(path.slice(0, -1), deck)?.[String(path.at(-1))] : undefined;
  return last && keyInfo(last)?.inner;
}

/** The known key that `path` is or lies in, and what is known of it. */
export function knownKey(path: Path, deck: RawTable): { path: Path; info: KeyInfo } | undefined {
  let known: ReturnType<typeof knownKey>;
  for (let length = 1; length <= path.length; length++) {
    const schema = shapeAt(path.slice(0, length - 1), deck)?.[String(path[length - 1])];
    const info = schema && keyInfo(schema);
    if (info) known = { path: path.slice(0, length), info };
    // What stands in a list or a table of another kind is part of the key.
    if (known && !known.info.inner) return known;
  }
  return known;
}

const tableNames = [...Object.keys(sections), ...arraySections.map(({ name }) => name)];

/** Every key that this deck could have, with the keys of its own components. */
function allKnown(deck: RawTable): Path[] {
  const arrays = arraySections.flatMap(({ name }) => tablesOf(deck, name).map((_, i) => [name, i]));
  const outer: Path[] = [[], ...Object.keys(sections).map((name) => [name]), ...arrays];
  const inner = outer.flatMap((table) =>
    Object.entries(shapeAt(table, deck) ?? {}).flatMap(([key, schema]) =>
      keyInfo(schema)?.inner ? [[...table, key]] : [],
    ),
  );
  const tables = [...outer, ...inner];
  const keys = tables.flatMap((table) => Object.keys(shapeAt(table, deck) ?? {}).map((key) => [...table, key]));
  return [...tableNames.map((name) => [name]), ...keys];
}

const plainPath = (path: Path) => path.map((part) => (typeof part === "string" ? foldedName(part) : "")).join("");
const samePath = (a: Path, b: Path) => a.length === b.length && a.every((part, i) => part === b[i]);

/** The known key most like `unknown`; undefined when none is near. */
export function nearestKey(unknown: Path, deck: RawTable): Path | undefined {
  const parent = unknown.slice(0, -1);
  const name = foldedName(unknown[unknown.length - 1] ?? "");
  const full = plainPath(unknown);
  let best: { path: Path; score: number } | undefined;
  for (const path of allKnown(deck)) {
    if (path.every((part, i) => part === unknown[i])) continue; // the table that it stands in
    const known = foldedName(path[path.length - 1]);
    let score = Number.POSITIVE_INFINITY;
    if (samePath(path.slice(0, -1), parent)) score = near(name, known, TOLERANCE);
    else if (unknown[0] !== path[0] || !arraySectionOf(path)) {
      score = near(full, plainPath(path), TOLERANCE_FULL_PATH);
      if (name === known && path.length > 1) score = Math.min(score, 2);
    }
    if (score < (best?.score ?? Number.POSITIVE_INFINITY)) best = { path, score };
  }
  return best?.path;
}

/** The names of the keys in the table at `path`, tables at the top included. */
export function keysIn(path: Path, deck: RawTable): string[] {
  const keys = Object.keys(shapeAt(path, deck) ?? {});
  return path.length === 0 ? [...keys, ...tableNames] : keys;
}

/** How far a word is from another; infinite where that is more than a share of its letters. */
function near(word: string, other: string, tolerance: number): number {
  const most = Math.max(1, tolerance * word.length);
  const apart = edits(word, other, most);
  return apart <= most ? apart : Number.POSITIVE_INFINITY;
}
