/**
 * Where a key stands in a TOML text. The parser gives values without positions; messages need lines.
 *
 * One pass over a text that has already been parsed without error, so the grammar (TOML 1.0, 1.1) is only
 * followed, not checked: tables, arrays of tables, dotted and quoted keys, inline tables, arrays, all strings.
 */
import type { Path } from "../deck/problems.ts";

export interface Position {
  /** From 1. */
  line: number;
  column: number;
}

export interface Locator {
  /** Position of the key, table header or array element; undefined if the text doesn't have it. */
  at(path: Path): Position | undefined;
  /** The same, or of the nearest thing around it that the text has; undefined if that is the whole text. */
  around(path: Path): Position | undefined;
}

const SEPARATOR = "\u0000";
const pathKey = (path: Path) => path.join(SEPARATOR);

/** Positions of everything named in `text`, which must be valid TOML. */
export function locate(text: string): Locator {
  const offsets = new Scanner(text).scan();
  const lineStarts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) lineStarts.push(i + 1);

  function position(offset: number): Position {
    let line = 0;
    while (line + 1 < lineStarts.length && lineStarts[line + 1] <= offset) line++;
    return { line: line + 1, column: offset - lineStarts[line] + 1 };
  }
  function at(path: Path) {
    const offset = offsets.get(pathKey(path));
    return offset === undefined ? undefined : position(offset);
  }
  return {
    at,
    around(path) {
      for (let length = path.length; length > 0; length--) {
        const found = at(path.slice(0, length));
        if (found) return found;
      }
      return undefined;
    },
  };
}

const BARE_KEY = /[A-Za-z0-9_-]+/y;

class Scanner {
  readonly #text: string;
  #at = 0;
  readonly #found = new Map<string, number>();
  /** Tables so far in each array of tables, by path. */
  readonly #tables = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
    if (text.charCodeAt(0) === 0xfeff) this.#at = 1;
  }

  /** Offsets of all paths, by pathKey. */
  scan(): Map<string, number> {
    let table: Path = [];
    for (;;) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return this.#found;
      if (this.#text[this.#at] === "[") table = this.#header();
      else this.#assignment(table);
    }
  }

  #note(path: Path, offset: number) {
    const key = pathKey(path);
    // The first mention counts: a table may be opened by a sub-table or by a dotted key before its own header.
    if (!this.#found.has(key)) this.#found.set(key, offset);
  }

  /** `[a.b]` or `[[a.b]]`: the path that the following keys belong to, indices of arrays of tables included. */
  #header(): Path {
    const start = this.#at;
    const isArray = this.#text[start + 1] === "[";
    this.#at += isArray ? 2 : 1;
    const parts = this.#keyParts();
    this.#at += isArray ? 2 : 1;
    const path: (string | number)[] = [];
    parts.forEach((part, i) => {
      path.push(part.name);
      this.#note(path, start);
      const key = pathKey(path);
      let count = this.#tables.get(key);
      if (isArray && i === parts.length - 1) {
        count = (count ?? 0) + 1;
        this.#tables.set(key, count);
      }
      if (count !== undefined) path.push(count - 1);
      this.#note(path, start);
    });
    return path;
  }

  /** `a.b = value` inside `table`. */
  #assignment(table: Path) {
    const path = [...table];
    for (const part of this.#keyParts()) {
      path.push(part.name);
      this.#note(path, part.offset);
    }
    this.#at++; // the equals sign
    this.#value(path);
  }

  #keyParts(): { name: string; offset: number }[] {
    const parts: { name: string; offset: number }[] = [];
    for (;;) {
      this.#skipSpace();
      const offset = this.#at;
      const quote = this.#text[offset];
      if (quote === '"' || quote === "'") {
        this.#string();
        const raw = this.#text.slice(offset, this.#at);
        parts.push({ name: quote === "'" ? raw.slice(1, -1) : unescaped(raw), offset });
      } else {
        BARE_KEY.lastIndex = offset;
        const name = BARE_KEY.exec(this.#text)?.[0] ?? "";
        this.#at += name.length;
        parts.push({ name, offset });
      }
      this.#skipSpace();
      if (this.#text[this.#at] !== ".") return parts;
      this.#at++;
    }
  }

  #value(path: Path) {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case '"':
      case "'":
        this.#string();
        return;
      case "[":
        this.#sequence("]", (index) => {
          this.#note([...path, index], this.#at);
          this.#value([...path, index]);
        });
        return;
      case "{":
        this.#sequence("}", () => this.#assignment(path));
        return;
      default:
        // Number, boolean or date: up to whatever ends a value.
        while (this.#at < this.#text.length && !/[,\]}#\n]/.test(this.#text[this.#at])) this.#at++;
    }
  }

  #sequence(close: string, item: (index: number) => void) {
    this.#at++;
    for (let index = 0; ; index++) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === close) break;
      item(index);
      this.#skipBlank();
      if (this.#text[this.#at] === ",") this.#at++;
    }
    this.#at++;
  }

  #string() {
    const text = this.#text;
    const quote = text[this.#at];
    const fence = text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote;
    this.#at += fence.length;
    while (this.#at < text.length && !text.startsWith(fence, this.#at)) {
      this.#at += quote === '"' && text[this.#at] === "\\" ? 2 : 1;
    }
    this.#at += fence.length;
    // A multi-line string may end in up to two quotes of its own before the fence.
    if (fence.length === 3) while (text[this.#at] === quote) this.#at++;
  }

  #skipSpace() {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
  }

  /** White space, line ends and comments. */
  #skipBlank() {
    for (;;) {
      const c = this.#text[this.#at];
      if (c === " " || c === "\t" || c === "\r" || c === "\n") this.#at++;
      else if (c === "#") while (this.#at < this.#text.length && this.#text[this.#at] !== "\n") this.#at++;
      else return;
    }
  }
}

/** A basic quoted key without its quotes and escapes. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1); // \U00000000, \x00 and \e: not worth more, the name only has to be found again
  }
}
