/** What may be written at a place of a deck: its tables, the keys of a table, the words of a key. Pure, for any editor. */
import type { DeckKey, DeckTable } from "../stage.ts";
export interface Offer {
  label: string;
  /** Beside it: its unit, or what it is. */
  detail?: string;
  meaning: string;
  /** What is written in place of what is there. */
  apply: string;
  sort: "table" | "key" | "word";
  /** Words are offered at once. */
  goesOn?: boolean;
}

export interface Offers {
  from: number;
  to: number;
  offers: readonly Offer[];
}

type Vocabulary = readonly DeckTable[];

/** The tables of the vocabulary that a table of the text may be: those of all kinds as long as its own isn't known. */
function candidates(vocabulary: Vocabulary, { name, kind }: { name: string; kind?: string }): readonly DeckTable[] {
  const named = vocabulary.filter((table) => table.name === name);
  const ofKind = named.filter((table) => table.kind !== undefined && table.kind === kind);
  return ofKind.length > 0 ? ofKind : named;
}

const headerOf = ({ name, array }: DeckTable) => (array ? `[[${name}]]` : `[${name}]`);

function tableOffers(vocabulary: Vocabulary, text: string): Offer[] {
  const there = new Set(tablesInText(text).map(({ name }) => name));
  return vocabulary
    .filter(({ name, array }) => name !== "" && (array || !there.has(name)))
    .map((table) => ({
      label: table.kind === undefined ? headerOf(table) : `${headerOf(table)} ${table.kind}`,
      meaning: table.meaning,
      apply: `${headerOf(table)}\n${table.kind === undefined ? "" : `kind = "${table.kind}"\n`}`,
      sort: "table",
    }));
}

/** A key's unit, and what counts where it is left out. */
function detailOf({ unit, default: fallback, required }: DeckKey): string {
  const otherwise = fallback === undefined ? (required ? "required" : "") : `default ${fallback}`;
  return [unit ? `[${unit}]` : "", otherwise].filter((part) => part !== "").join(" ");
}

/** Keys by name; `kind` first, then what is required, then the vocabulary's order. */
function keysOf(tables: readonly DeckTable[]): DeckKey[] {
  const byName = new Map<string, DeckKey>();
  for (const { keys } of tables) for (const key of keys) if (!byName.has(key.key)) byName.set(key.key, key);
  const rank = ({ key, required }: DeckKey) => (key === "kind" ? 0 : required ? 1 : 2);
  return [...byName.values()].sort((a, b) => rank(a) - rank(b));
}

/** Whether a table of the text might be any of several kinds. */
const isOpen = (tables: readonly DeckTable[]) => tables.some(({ kind }) => kind !== undefined) && tables.length > 1;

/** `own`: the key that is there, which may be written again. */
function keyOffers(vocabulary: Vocabulary, { table }: DeckContext, own: string): Offer[] {
  const tables = candidates(vocabulary, table);
  // Before its kind is known only what all kinds share is offered.
  const shared = (key: DeckKey) => tables.every(({ keys }) => keys.some((other) => other.key === key.key));
  const known = keysOf(tables).filter((key) => !isOpen(tables) || key.key === "kind" || shared(key));
  const missing = known.some(({ key }) => key === "kind") || !isOpen(tables) ? [] : [KIND];
  return [...missing, ...known]
    .filter(({ key }) => !table.keys.includes(key) || key === own)
    .map((key) => ({
      label: key.key,
      detail: detailOf(key),
      meaning: key.meaning,
      apply: `${key.key} = `,
      sort: "key",
      goesOn: key.key === "kind" || key.values !== undefined || key.kind === "boolean",
    }));
}

const KIND: DeckKey = { key: "kind", meaning: "which model it is", kind: "text", required: true };

function valueOffers(vocabulary: Vocabulary, { table, key }: DeckContext): Offer[] {
  if (key === "kind") {
    const kinds = vocabulary.filter(({ name, kind }) => name === table.name && kind !== undefined);
    if (kinds.length > 0) return kinds.map(({ kind, meaning }) => word(JSON.stringify(kind), meaning));
  }
  const known = keysOf(candidates(vocabulary, table)).find((other) => other.key === key);
  if (!known) return [];
  const words =
    known.kind === "boolean" ? ["true", "false"] : (known.values ?? []).map((value) => quoted(known, value));
  const fallback = known.default === undefined || words.includes(known.default) ? [] : [known.default];
  return [...words, ...fallback].map((text) =>
    word(text, known.meaning, text === known.default ? "default" : known.unit && `[${known.unit}]`),
  );
}

const quoted = ({ kind }: DeckKey, value: string) =>
  kind === "number" || kind === "integer" || value.startsWith('"') ? value : JSON.stringify(value);

const word = (text: string, meaning: string, detail?: string): Offer => ({
  ...{ label: text, meaning, apply: text, sort: "word" },
  ...(detail !== undefined && detail !== "" && { detail }),
});

/** What may stand at `position` of a deck's text; undefined where nothing is known. */
export function offersAt(text: string, position: number, vocabulary: Vocabulary): Offers | undefined {
  const context = contextAt(text, position);
  if (!context) return undefined;
  const { part, from } = context;
  const line = text.slice(position).split("\n", 1)[0];
  // What follows of the word, and the header's brackets or the quote that an editor has closed by itself.
  const rest = (part === "header" ? /^[\w.-]*\]{0,2}/ : part === "key" ? /^[\w.-]*(\s*=\s*)?/ : /^[\w.-]*["']?/).exec(
    line,
  )!;
  const to = position + rest[0].length;
  const offers =
    part === "header"
      ? tableOffers(vocabulary, text)
      : part === "value"
        ? valueOffers(vocabulary, context)
        : [
            ...keyOffers(vocabulary, context, text.slice(from, to).split(/\s*=/)[0]),
            ...(context.written === "" ? tableOffers(vocabulary, text) : []),
          ];
  return offers.length === 0 ? undefined : { from, to, offers };
}

/** The key at `position`, for those who rest on it. */
export function keyAt(text: string, position: number, vocabulary: Vocabulary): DeckKey | undefined {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const end = text.indexOf("\n", position) < 0 ? text.length : text.indexOf("\n", position);
  const name = /^\s*([\w.-]+)\s*=/.exec(text.slice(start, end));
  const context = name && contextAt(text, start);
  if (!name || !context || position > start + name[0].length) return undefined;
  return keysOf(candidates(vocabulary, context.table)).find(({ key }) => key === name[1]);
}

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

// Decks are read line by line: one that is half written is no TOML.
const HEADER = /^\s*(\[\[?)\s*([\w.-]*)/;
const ENTRY = /^\s*([\w.-]+)\s*=\s*/;

/** Texts of several lines, texts, comments, and single characters; what isn't closed yet ends with its line, or the deck. */
const TOKEN = /"""(?:\\[\s\S]|[^\\])*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#.*|[\s\S]/g;
/** A header also ends a list that is still being written. */
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

export function tablesInText(text: string): TextTable[] {
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
  const table = tablesInText(text).findLast(({ first }) => first <= number)!;
  const written = (from: number) => ({ written: before.slice(from), from: start + from });
  const indent = before.length - before.trimStart().length;
  if (HEADER.test(before)) return { table, part: "header", ...written(indent) };
  const entry = ENTRY.exec(before);
  if (entry) return { table, part: "value", key: entry[1], ...written(entry[0].length) };
  if (/^\s*[\w.-]*$/.test(before)) return { table, part: "key", ...written(indent) };
  return undefined;
}
