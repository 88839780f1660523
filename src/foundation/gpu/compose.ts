/**
 * WGSL composition: a kernel's own files and all that they import, each once, behind a prelude of constants. Remembers
 * which file each line came from, so that a compiler message points at the file that a person edits.
 *
 * What a file needs stands in it, in lines that people and the composer read:
 *   //#import "wide-product.wgsl"         another file, relative to this one; the build resolves it (.tooling/wgsl-plugin.mjs)
 *   //#expects CELLS (per side), massOf   names that it takes from the kernel: constants of its spec, or declarations of
 *                                         the other files that the spec lists, where it chooses between several
 *   //#if SNAP … //#end                   lines that are there only where the constant SNAP is true; with !SNAP where it is false
 */

/** A WGSL file: its path from the project's root, its text, and the files that it imports. */
export interface WgslSource {
  path: string;
  text: string;
  needs?: readonly WgslSource[];
}

/** Values for the prelude: numbers and booleans become `const NAME = value;`, strings are taken as WGSL. */
export type WgslConstants = Record<string, number | boolean | string>;

export interface ComposedWgsl {
  code: string;
  /** File and 1-based line of a 1-based line of `code`. */
  locate(line: number): { path: string; line: number };
}

const DIRECTIVE = /^(?:enable|requires|diagnostic)\b.*;$/gm;
const EXPECTS = /^\/\/#expects +(.*)$/gm;
const NOTE = /\([^()]*\)/g;
const CONDITIONAL = /^\/\/#if (!?)(\w+)$[\s\S]*?^\/\/#end$/gm;
/** Declarations of a module, which start at the beginning of a line; a variable's attributes stand before it. */
const DECLARATION = /^(?:@.*\)\s*)?(?:fn|struct|alias|const|var(?:<[^>]*>)?) +(\w+)/gm;

/** Names that a file takes from the kernel it is composed into. */
export function expectedNames(text: string): string[] {
  return [...text.matchAll(EXPECTS)].flatMap(([, names]) =>
    names
      .replace(NOTE, "")
      .split(",")
      .map((name) => name.trim()),
  );
}

/** Names that a file declares for others. */
export function declaredNames(text: string): string[] {
  return [...text.matchAll(DECLARATION)].map(([, name]) => name);
}

function literal(name: string, value: number | boolean | string): string {
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) throw new RangeError(`WGSL constant ${name} must be finite, found ${value}`);
  return Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? value.toFixed(0) : String(value);
}

/** `sources` and what they import, each file once, after those that it imports. */
export function withImports(sources: readonly WgslSource[]): WgslSource[] {
  const ordered = new Map<string, WgslSource>();
  const visit = (source: WgslSource, importers: readonly string[]) => {
    if (importers.includes(source.path)) {
      throw new Error(`WGSL files import one another: ${[...importers, source.path].join(" → ")}`);
    }
    if (ordered.has(source.path)) return;
    for (const needed of source.needs ?? []) visit(needed, [...importers, source.path]);
    ordered.set(source.path, source);
  };
  for (const source of sources) visit(source, []);
  return [...ordered.values()];
}

/** Throws an Error when files import one another, and for a name that a file expects and nothing gives. */
export function composeWgsl(sources: readonly WgslSource[], constants: WgslConstants = {}): ComposedWgsl {
  const modules = withImports(sources);
  const known = new Set([...Object.keys(constants), ...modules.flatMap(({ text }) => declaredNames(text))]);
  for (const { path, text } of modules) {
    const missing = expectedNames(text).filter((name) => !known.has(name));
    if (missing.length > 0) {
      throw new Error(
        `${path} expects ${missing.join(", ")}: neither constants of the kernel (${Object.keys(constants).join(", ") || "none"}) ` +
          `nor declared in ${modules.map((module) => module.path).join(", ")}`,
      );
    }
  }
  const lines: string[] = [];
  const origins: { path: string; line: number }[] = [];
  const push = (path: string, text: string) => {
    text.split("\n").forEach((content, index) => {
      lines.push(content);
      origins.push({ path, line: index + 1 });
    });
  };
  // WGSL wants directives before anything else: they come first, and leave an empty line where they stood.
  const directives = new Set(modules.flatMap(({ text }) => text.match(DIRECTIVE) ?? []));
  if (directives.size > 0) push("directives", [...directives].join("\n"));
  const prelude = Object.entries(constants).map(([name, value]) => `const ${name} = ${literal(name, value)};`);
  if (prelude.length > 0) push("constants", prelude.join("\n"));
  for (const { path, text } of modules) {
    // What is left out leaves empty lines, too, so that the others keep their numbers.
    const wanted = text.replace(CONDITIONAL, (lines, not, name) =>
      Boolean(constants[name]) !== (not === "!") ? lines : lines.replace(/.+/g, ""),
    );
    push(path, wanted.replace(DIRECTIVE, ""));
  }
  return {
    code: lines.join("\n"),
    locate: (line) => origins[line - 1] ?? { path: modules.at(-1)?.path ?? "constants", line },
  };
}
