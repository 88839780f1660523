/** Text from outside as a terminal may have it: control characters and marks of direction as escapes. */

/** All but the line end. */
const UNSAFE = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const LINE_ENDS = /\n/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function plain(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Longest word of a message: a path that is longer is none that a system takes. */
const LONGEST_WORD = 1000;
const LONG_WORDS = new RegExp(`\\S{${LONGEST_WORD + 1},}`, "g");

/** A message with its longest words cut. */
export function plainMessage(text: string): string {
  return plain(text.replace(LONG_WORDS, (word) => `${word.slice(0, LONGEST_WORD)}…`));
}

/** Lists and records with their texts made plain; `message` alone may have several lines. */
export function plainEvent<T>(event: T, key?: string): T {
  if (typeof event === "string") {
    return (key === "message" ? plainMessage(event) : plain(event).replace(LINE_ENDS, "\\n")) as T;
  }
  if (Array.isArray(event)) return event.map((one) => plainEvent(one)) as T;
  if (typeof event !== "object" || event === null || Object.getPrototypeOf(event) !== Object.prototype) return event;
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, plainEvent(value, name)])) as T;
}

/** JSON that reads as the same value, in characters that a terminal only shows. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, escaped);
}
