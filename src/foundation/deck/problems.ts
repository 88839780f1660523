/** Problems of a deck, as messages: which key, what was expected, what was found, what to try. */

/** Keys and indices from the deck down to a value. */
export type Path = readonly (string | number)[];

export interface Problem {
  path: Path;
  /** The line without its place. */
  message: string;
}

const LONGEST_FOUND = 60;

/** A text of a user's in a message: its beginning, where it is long. */
export function cut(text: string, longest = LONGEST_FOUND): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** `["particles", 0, "offset"]` → `particles[0].offset`. */
export function displayPath(path: Path): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === "number") return `${shown}[${part}]`;
    return shown === "" ? namePart(part) : `${shown}.${namePart(part)}`;
  }, "");
}

/** As it is written in TOML: quoted where it has to be. */
const namePart = (name: string) => cut(/^[\p{L}\p{N}_ -]+$/u.test(name) ? name : JSON.stringify(name));

/** A deck value as a person would read it. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value instanceof Date) return `the date ${value.toISOString()}`;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
    return Object.is(value, Number.POSITIVE_INFINITY) ? "inf" : String(value).replace("NaN", "nan");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return "a table";
  if (!Array.isArray(value)) return cut(JSON.stringify(value));
  // No more entries than can be seen: a list may hold millions.
  return cut(`[${value.slice(0, LONGEST_FOUND).map(shown).join(", ")}]`);
}

/** A number in a message, to so many digits at most. */
export const rounded = (value: number, digits: number) => String(Number(value.toPrecision(digits)));

/** A length in a message, to six digits. */
export const shortest = (value: number) => rounded(value, 6);

/** `path: expected …, found …. Hint.` */
export function mismatch(path: Path, expected: string, found: unknown, hint?: string): Problem {
  const tail = hint ? `. ${hint}` : "";
  return { path, message: `${displayPath(path)}: expected ${expected}, found ${shown(found)}${tail}` };
}

/** The same in a list, and nothing where nothing is wrong. */
export const mismatchIf = (wrong: boolean, ...said: Parameters<typeof mismatch>): Problem[] =>
  wrong ? [mismatch(...said)] : [];
