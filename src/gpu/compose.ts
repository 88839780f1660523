/**
 * WGSL composition: concatenates modules behind a prelude of constants and remembers which file each line
 * came from, so that a compiler message points at the file that a person edits.
 */

/** A WGSL file as the build inlines it: its path from the project's root, and its text. */
export interface WgslSource {
  path: string;
  text: string;
}

/** Values for the prelude: numbers and booleans become `const NAME = value;`, strings are taken as WGSL. */
export type WgslConstants = Record<string, number | boolean | string>;

export interface ComposedWgsl {
  code: string;
  /** File and 1-based line of a 1-based line of `code`. */
  locate(line: number): { path: string; line: number };
}

const DIRECTIVE = /^(?:enable|requires|diagnostic)\b.*;$/gm;

function literal(name: string, value: number | boolean | string): string {
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) throw new RangeError(`WGSL constant ${name} must be finite, found ${value}`);
  return Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? value.toFixed(0) : String(value);
}

/** Joins `sources` in order, each once, behind the constants. A file listed twice is an error of the caller. */
export function composeWgsl(sources: readonly WgslSource[], constants: WgslConstants = {}): ComposedWgsl {
  const lines: string[] = [];
  const origins: { path: string; line: number }[] = [];
  const push = (path: string, text: string) => {
    text.split("\n").forEach((content, index) => {
      lines.push(content);
      origins.push({ path, line: index + 1 });
    });
  };
  // WGSL wants directives before anything else: they come first, and leave an empty line where they stood.
  const directives = new Set(sources.flatMap(({ text }) => text.match(DIRECTIVE) ?? []));
  if (directives.size > 0) push("directives", [...directives].join("\n"));
  const prelude = Object.entries(constants).map(([name, value]) => `const ${name} = ${literal(name, value)};`);
  if (prelude.length > 0) push("constants", prelude.join("\n"));
  const seen = new Set<string>();
  for (const source of sources) {
    if (seen.has(source.path)) throw new Error(`${source.path} is composed twice into one kernel`);
    seen.add(source.path);
    push(source.path, source.text.replace(DIRECTIVE, ""));
  }
  return {
    code: lines.join("\n"),
    locate: (line) => origins[line - 1] ?? { path: sources.at(-1)?.path ?? "constants", line },
  };
}
