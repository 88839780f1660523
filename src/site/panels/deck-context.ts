/** The table and the key in which a cursor stands, read line by line since a deck that is half written is no TOML. */

/** A table as it stands in the text: lines from its header up to the next one; name "" above the first header. */
export interface TextTable {
  name: string;
  array: boolean;
  /** The value of its key `kind`, as far as it is written. */
  kind?: string;
  keys: readonly string[];
  /** The line of its header, from 0. */
  first: number;
}

export interface DeckContext {
  table: TextTable;
  /** What is being written there. */
  part: "header" | "key" | "value";
  /** The key whose value it is. */
  key?: string;
  /** What is written of it up to the cursor, quotes and brackets of headers included, and where that begins. */
  written: string;
  from: number;
}

const HEADER = /^\s*(\[\[?)\s*([\w.-]*)/;
const ENTRY = /^\s*([\w.-]+)\s*=\s*/;

/** Texts of several lines, texts, comments, and single characters; what isn't closed yet ends with its line, or the deck. */
const TOKEN = /"""(?:\\[\s\S]|[^\\])*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#.*|[\s\S]/g;
/** A header also ends a list that somebody is still writing. */
const HEADER_ALONE = /^\s*\[\[?\s*[A-Za-z][\w.-]*\s*\]\]?\s*(#.*)?$/;

/** A line that begins a header or an entry, without its comment. Lines within a list or a text of several lines are none. */
interface Line {
  code: string;
  number: number;
}

function linesOf(text: string): Line[] {
  const lines = text.split("\n");
  const found: Line[] = [];
  let [code, number, depth, isBegun] = ["", 0, 0, true];
  const endLine = (isWithin: boolean) => {
    if (isBegun) found.push({ code, number });
    // The brackets of a header that isn't closed yet don't swallow what follows.
    if (isBegun && HEADER.test(code)) depth = 0;
    [code, number] = ["", number + 1];
    isBegun = !isWithin && (depth === 0 || HEADER_ALONE.test(lines[number] ?? ""));
    if (isBegun) depth = 0;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "\n") endLine(false);
    else if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth = Math.max(0, depth - 1);
    else if (token.includes("\n")) {
      for (const part of token.split("\n").slice(0, -1)) {
        code += part;
        endLine(true);
      }
    }
    if (!token.startsWith("#") && !token.includes("\n")) code += token;
  }
  endLine(false);
  return found;
}

export function tablesIn(text: string): TextTable[] {
  const tables: (TextTable & { keys: string[] })[] = [{ name: "", array: false, keys: [], first: 0 }];
  for (const { code, number } of linesOf(text)) {
    const header = HEADER.exec(code);
    if (header) tables.push({ name: header[2], array: header[1] === "[[", keys: [], first: number });
    const key = header ? undefined : ENTRY.exec(code)?.[1];
    if (key === undefined) continue;
    const table = tables[tables.length - 1];
    table.keys.push(key);
    const kind = /^\s*kind\s*=\s*["']([^"']*)/.exec(code)?.[1];
    if (kind !== undefined) table.kind = kind;
  }
  return tables;
}

/** The context of the cursor at `position`; undefined in comments, and where nothing can be completed. */
export function contextAt(text: string, position: number): DeckContext | undefined {
  const number = text.slice(0, position).split("\n").length - 1;
  const line = linesOf(text).find((other) => other.number === number);
  if (!line) return undefined;
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const before = text.slice(start, position);
  if (before.length > line.code.length) return undefined;
  const table = tablesIn(text).findLast(({ first }) => first <= number)!;
  const written = (from: number) => ({ written: before.slice(from), from: start + from });
  const indent = before.length - before.trimStart().length;
  if (HEADER.test(before)) return { table, part: "header", ...written(indent) };
  const entry = ENTRY.exec(before);
  if (entry) return { table, part: "value", key: entry[1], ...written(entry[0].length) };
  if (/^\s*[\w.-]*$/.test(before)) return { table, part: "key", ...written(indent) };
  return undefined;
}
