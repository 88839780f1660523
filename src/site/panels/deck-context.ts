/**
 * Where in a deck a cursor is: which table, which key of it, in its name or in its value. Read line by line, so that it
 * works on a deck that is half written and no TOML.
 */

/** A table as it stands in the text: lines from its header up to the next one; name "" above the first header. */
export interface TextTable {
  name: string;
  array: boolean;
  /** What its key `kind` is, as far as it is written. */
  kind?: string;
  /** Keys that it has. */
  keys: readonly string[];
  /** From 0; lines [first, last). */
  first: number;
  last: number;
}

export interface DeckContext {
  table: TextTable;
  /** What is being written there. */
  part: "header" | "key" | "value";
  /** Of a value. */
  key?: string;
  /** What is written of it up to the cursor, quotes and brackets of headers included, and where that begins. */
  written: string;
  from: number;
}

const HEADER = /^\s*(\[\[?)\s*([\w.-]*)/;
const ENTRY = /^\s*([\w.-]+)\s*=\s*/;

/** What of a line is code, and what it leaves open: brackets, and a text of several lines. */
interface Scan {
  code: string;
  depth: number;
  open: string | undefined;
}

/** A line without its comment; `depth` and `open` as the line before left them. */
function scanned(line: string, depth: number, open: string | undefined): Scan {
  let code = "";
  let at = 0;
  let quote = open;
  while (at < line.length) {
    const rest = line.slice(at);
    const delimiter = quote ?? /^("""|'''|"|')/.exec(rest)?.[0];
    if (quote !== undefined) {
      const escaped = quote.startsWith('"') && rest.startsWith("\\");
      const length = escaped ? 2 : rest.startsWith(quote) ? quote.length : 1;
      if (!escaped && rest.startsWith(quote)) quote = undefined;
      code += rest.slice(0, length);
      at += length;
    } else if (delimiter !== undefined) {
      quote = delimiter;
      code += delimiter;
      at += delimiter.length;
    } else if (rest.startsWith("#")) break;
    else {
      if ("[{".includes(rest[0])) depth += 1;
      if ("]}".includes(rest[0])) depth = Math.max(0, depth - 1);
      code += rest[0];
      at += 1;
    }
  }
  // A text in single quotes ends with its line, closed or not.
  return { code, depth, open: quote?.length === 3 ? quote : undefined };
}

/** A line that begins a header or an entry, its code alone; lines within a list or a text of several lines are left out. */
interface Line {
  code: string;
  number: number;
}

function linesOf(text: string): Line[] {
  let depth = 0;
  let open: string | undefined;
  const found: Line[] = [];
  text.split("\n").forEach((line, number) => {
    const fresh = open === undefined && (depth === 0 || HEADER_ALONE.test(line));
    const scan = scanned(line, fresh ? 0 : depth, open);
    if (fresh) found.push({ code: scan.code, number });
    // The brackets of a header that isn't closed yet don't swallow what follows.
    depth = fresh && HEADER.test(scan.code) ? 0 : scan.depth;
    open = scan.open;
  });
  return found;
}

/** A header also ends a list that somebody is still writing. */
const HEADER_ALONE = /^\s*\[\[?\s*[A-Za-z][\w.-]*\s*\]\]?\s*(#.*)?$/;

/** The tables of a deck's text, in their order. */
export function tablesIn(text: string): TextTable[] {
  const lines = linesOf(text);
  const tables: (TextTable & { keys: string[] })[] = [{ name: "", array: false, keys: [], first: 0, last: 0 }];
  for (const { code, number } of lines) {
    const header = HEADER.exec(code);
    const table = tables[tables.length - 1];
    if (header) {
      table.last = number;
      tables.push({ name: header[2], array: header[1] === "[[", keys: [], first: number, last: 0 });
      continue;
    }
    const key = ENTRY.exec(code)?.[1];
    if (key === undefined) continue;
    table.keys.push(key);
    const kind = /^\s*kind\s*=\s*["']([^"']*)/.exec(code)?.[1];
    if (kind !== undefined) table.kind = kind;
  }
  tables[tables.length - 1].last = text.split("\n").length;
  return tables;
}

/** Where the cursor at `position` of the text is; undefined in comments, and where nothing can be completed. */
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
