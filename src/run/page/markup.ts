/**
 * HTML and SVG, escaped by construction: all that a template holds is text unless it is markup itself, and there is no way
 * to make markup of a string but a template's own words.
 */

/** What may stand in a template; nothing is written for false and undefined. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
};

function written(part: Content): string {
  if (part instanceof Markup) return String(part);
  if (typeof part === "object") return part.map(written).join("");
  return part === false || part === undefined ? "" : String(part).replace(/[&<>"']/g, (c) => ENTITIES[c]);
}

export class Markup {
  readonly #source: string;

  constructor(words: TemplateStringsArray, parts: readonly Content[]) {
    this.#source = words.map((text, i) => (i === 0 ? "" : written(parts[i - 1])) + text).join("");
  }

  get isEmpty(): boolean {
    return this.#source === "";
  }

  toString(): string {
    return this.#source;
  }
}

/** html`<b>${text}</b>`: markup of content, or of attributes, whose values stand in double quotes. */
export const html = (words: TemplateStringsArray, ...parts: readonly Content[]) => new Markup(words, parts);

export const nothing = html``;

/** What a page without scripts may do: show its own styles and the pictures within it. */
export const STATIC_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
