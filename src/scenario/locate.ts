/**
 * Where a key stands in a TOML text, for messages. One pass over a text that has been parsed without error, so that the
 * grammar (TOML 1.0, 1.1) is only followed, not checked.
 */
import { bisectRight } from "d3-array";
import { parse } from "smol-toml";
import type { Path } from "../foundation/deck/problems.ts";

/** Both from 1. */
type Position = Record<"line" | "column", number>;
export type Locator = ReturnType<typeof locate>;

const pathKey = (path: Path) => path.join("\u0000");

/** Positions of everything named in `text`, which must be valid TOML. */
export function locate(text: string) {
  const offsets = offsetsIn(text);
  let starts: number[] | undefined;
  const lineStarts = () => (starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]);
  /** Of a key, table header or array element; undefined if the text doesn't have it. */
  function at(path: Path): Position | undefined {
    const offset = offsets.get(pathKey(path));
    if (offset === undefined) return undefined;
    const line = bisectRight(lineStarts(), offset);
    return { line, column: offset - lineStarts()[line - 1] + 1 };
  }
  /** The same, or of the nearest thing around it that the text has; undefined if that is the whole text. */
  function around(path: Path): Position | undefined {
    return path.length === 0 ? undefined : (at(path) ?? around(path.slice(0, -1)));
  }
  return { at, around };
}

const SPACE = /[ \t]*/y;
/** White space and line ends, or a comment; one for all of them would need a stack for a million lines. */
const BLANK = /[ \t\r\n]+|#[^\n]*/y;
/** Basic and literal; a multi-line one may end in up to two quotes of its own before the three. */
const STRING = /"""[^\\]*?(?:\\[\s\S][^\\]*?)*?"{3,}|'''[\s\S]*?'{3,}|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^']*'/y;
const KEY = new RegExp(`${STRING.source}|[A-Za-z0-9_-]*`, "y");
/** Number, boolean or date: up to whatever ends a value. */
const BARE_VALUE = /[^,\]}#\n]*/y;

/** No key of a deck lies deeper, particles[0].offset[2]; a path of a thousand parts is no key. */
const DEEPEST = 8;

/** Entries of a list that are found by themselves; later ones are where the list is. */
const MOST_ITEMS = 10_000;

function offsetsIn(text: string): Map<string, number> {
  const found = new Map<string, number>();
  /** Tables so far in each array of tables, by path. */
  const tables = new Map<string, number>();
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  function take(pattern: RegExp): string {
    pattern.lastIndex = at;
    const taken = pattern.exec(text)?.[0] ?? "";
    at += taken.length;
    return taken;
  }

  function skipBlank() {
    while (take(BLANK) !== "");
  }

  function note(path: Path, offset: number) {
    if (path.length > DEEPEST) return;
    const key = pathKey(path);
    // The first mention counts: a table may be opened by a sub-table or by a dotted key before its own header.
    if (!found.has(key)) found.set(key, offset);
  }

  function keyParts(): { name: string; offset: number }[] {
    const parts: { name: string; offset: number }[] = [];
    for (;;) {
      take(SPACE);
      parts.push({ offset: at, name: unquoted(take(KEY)) });
      take(SPACE);
      if (text[at] !== ".") return parts;
      at++;
    }
  }

  /** `[a.b]` or `[[a.b]]`: the path that the following keys belong to, indices of arrays of tables included. */
  function header(): Path {
    const start = at;
    const brackets = text[start + 1] === "[" ? 2 : 1;
    at += brackets;
    const parts = keyParts().slice(0, DEEPEST + 1);
    at += brackets;
    const path: (string | number)[] = [];
    parts.forEach(({ name }, i) => {
      path.push(name);
      note(path, start);
      const key = pathKey(path);
      if (brackets === 2 && i === parts.length - 1) tables.set(key, (tables.get(key) ?? 0) + 1);
      const count = tables.get(key);
      if (count !== undefined) path.push(count - 1);
      note(path, start);
    });
    return path;
  }

  function assignment(table: Path) {
    const path = [...table];
    for (const { name, offset } of keyParts().slice(0, DEEPEST + 1)) {
      path.push(name);
      note(path, offset);
    }
    at++; // the equals sign
    value(path);
  }

  function value(path: Path) {
    take(SPACE);
    const opening = text[at];
    if (opening === "[") {
      sequence("]", (index) => {
        const item = index < MOST_ITEMS ? [...path, index] : path;
        note(item, at);
        value(item);
      });
    } else if (opening === "{") sequence("}", () => assignment(path));
    else if (opening !== '"' && opening !== "'") take(BARE_VALUE);
    else if (take(STRING) === "") at = text.length;
  }

  function sequence(close: string, item: (index: number) => void) {
    at++;
    for (let index = 0; ; index++) {
      skipBlank();
      if (at >= text.length) return;
      if (text[at] === close) break;
      item(index);
      skipBlank();
      if (text[at] === ",") at++;
    }
    at++;
  }

  let table: Path = [];
  try {
    for (;;) {
      skipBlank();
      if (at >= text.length) return found;
      if (text[at] === "[") table = header();
      else assignment(table);
    }
  } catch (error) {
    // A text of millions of escapes outgrows the stack of its pattern: what stands behind it has no line.
    if (error instanceof RangeError) return found;
    throw error;
  }
}

/** A key without its quotes and escapes; one that can't be read stays as it is. */
export function unquoted(key: string): string {
  if (!/^["']/.test(key)) return key;
  try {
    return Object.keys(parse(`${key} = 0`))[0];
  } catch {
    return key;
  }
}
