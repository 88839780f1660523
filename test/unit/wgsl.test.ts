/** What a WGSL file says that it imports and expects is true, and the composer puts files together by it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { composeWgsl, declaredNames, expectedNames, type WgslSource } from "../../src/foundation/gpu/compose.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** As the build's plugin loads it. */
async function loaded(path: string): Promise<WgslSource> {
  return ((await import(join(root, path))) as { default: WgslSource }).default;
}

const sources = await Promise.all([...filesIn("wgsl", ".wgsl"), ...filesIn("test", ".wgsl")].map(loaded));
/** Conditions of lines are code. */
const withoutComments = (text: string) => text.replace(/^\/\/#if /gm, "").replace(/\/\/.*/g, "");

/** A file and all that it imports. */
function closure(source: WgslSource): WgslSource[] {
  return [...new Set([source, ...(source.needs ?? []).flatMap(closure)])];
}

/** Names that only a declaration can have given: constants, types, and functions that any of our files declares. */
const everywhere = new Set(sources.flatMap(({ text }) => declaredNames(text)));
function takenNames(text: string): string[] {
  const code = withoutComments(text);
  const constants = code.match(/(?<![\w.])[A-Z][A-Z0-9_]+\b/g) ?? [];
  const calls = [...code.matchAll(/(?<![\w.@])(\w+)\(/g)].map(([, name]) => name);
  const types = code.match(/(?<![\w.])[A-Z]\w*[a-z]\w*/g) ?? [];
  return [...new Set([...constants, ...[...calls, ...types].filter((name) => everywhere.has(name))])];
}

describe("a WGSL file", () => {
  it("is loaded with what it imports", () => {
    expect(sources.length).toBeGreaterThan(100);
    const { needs } = sources.find(({ path }) => path === "wgsl/engine/diagnostics/total-field.wgsl")!;
    const paths = ["wgsl/lib/cells.wgsl", "wgsl/lib/interpolate.wgsl", "wgsl/physics/potentials/field.wgsl"];
    expect(needs!.map(({ path }) => path)).toEqual(paths);
  });

  it.each(sources.map((source) => [source.path, source] as const))(
    "%s says what it takes from elsewhere",
    (_, source) => {
      const own = expectedNames(source.text);
      const words = new Set(withoutComments(source.text).match(/\w+/g));
      const given = new Set(closure(source).flatMap(({ text }) => declaredNames(text)));
      expect(takenNames(source.text).filter((name) => !given.has(name) && !own.includes(name))).toEqual([]);
      expect(own.filter((name) => given.has(name))).toEqual([]); // imported, not expected
      expect(own.filter((name) => !words.has(name))).toEqual([]);
      const unused = (source.needs ?? []).filter(
        (need) => !closure(need).some(({ text }) => declaredNames(text).some((name) => words.has(name))),
      );
      expect(unused.map(({ path }) => path)).toEqual([]);
    },
  );

  it.each(sources.map((source) => [source.path, source] as const))("%s composes with what it expects", (_, source) => {
    const given = new Set(closure(source).flatMap(({ text }) => declaredNames(text)));
    const expected = closure(source).flatMap(({ text }) => expectedNames(text));
    const constants = Object.fromEntries(expected.filter((name) => !given.has(name)).map((name) => [name, 1]));
    const { code } = composeWgsl([source], constants);
    for (const { text } of closure(source)) expect(code.split(text.split("\n")[0]).length).toBe(2);
    for (const name of Object.keys(constants)) {
      const { [name]: _left, ...others } = constants;
      expect(() => composeWgsl([source], others)).toThrow(new RegExp(`\\.wgsl expects (\\w+, )*${name}\\b`));
    }
  });

  it("names no file that doesn't exist, nor do the sources name such a one", () => {
    const texts = [...filesIn("wgsl", ".wgsl"), ...filesIn("src", ".ts")].flatMap((path) => {
      const names = readFileSync(join(root, path), "utf8").match(/(?<![\w*-])[\w./-]+\.wgsl\b/g) ?? [];
      return [...new Set(names)].map((name) => ({ path, name }));
    });
    const there = filesIn("wgsl", ".wgsl");
    const exists = (path: string, name: string) =>
      name.includes("/")
        ? [root, join(root, "wgsl"), dirname(join(root, path))].some((from) => existsSync(resolve(from, name)))
        : there.some((file) => file.endsWith(`/${name}`));
    expect(texts.filter(({ path, name }) => !exists(path, name))).toEqual([]);
  });
});

/** Statements and their blocks at the outermost level of `body`. */
function statements(body: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (const [i, sign] of [...body].entries()) {
    if ("({[".includes(sign)) depth += 1;
    if (")}]".includes(sign)) depth -= 1;
    if (depth > 0 || !(sign === ";" || sign === "}")) continue;
    found.push(body.slice(from, i + 1).trim());
    from = i + 1;
  }
  return found;
}

/** Functions with a value whose last statement is a loop. */
function endingInLoops(code: string): string[] {
  const declarations = statements(withoutComments(code)).filter((text) => /^[^{]*\bfn\b[^{]*->/s.test(text));
  return declarations.flatMap((text) => {
    const last = statements(text.slice(text.indexOf("{") + 1, -1)).at(-1);
    return /^(loop|for|while)\b/.test(last ?? "") ? [/\bfn +(\w+)/.exec(text)![1]] : [];
  });
}

/** Types of uniforms, and of the members of their structures. */
function uniformTypes(codes: readonly string[]): string[] {
  const structures = codes.flatMap((code) => [...code.matchAll(/^struct (\w+) \{(.*?)^\}/gms)]);
  const membersOf = (type: string): string[] =>
    structures
      .filter(([, name]) => type.match(/\w+/g)?.includes(name))
      .flatMap(([, , body]) => [...body.matchAll(/^ *(?:@[^\n]*\) *)?\w+: (.*?),?$/gm)].map(([, member]) => member))
      .flatMap((member) => [member, ...membersOf(member)]);
  const types = codes.flatMap((code) => [...code.matchAll(/var<uniform> \w+: ([^;]+);/g)].map(([, type]) => type));
  return types.flatMap((type) => [type, ...membersOf(type)]);
}

/** Arrays whose elements take less than 16 bytes. */
const NARROW = /array<(?:[uif](?:32|16)|vec2[<uifh]|atomic<)/;

/** What naga (Firefox, Deno, and wgpu for Rust) refuses and Tint (Chrome, Dawn) takes. */
describe("Every WGSL file", () => {
  const codes = sources.map(({ text }) => withoutComments(text));

  it("ends a function with a value in something else than a loop", () => {
    expect(codes.flatMap((code) => statements(code).filter((text) => text.includes("->"))).length).toBeGreaterThan(300);
    expect(endingInLoops("fn a(x: u32) -> u32 {\n  loop { if (x > 1u) { return 1u; } }\n}")).toEqual(["a"]);
    expect(sources.flatMap(({ path, text }) => endingInLoops(text).map((name) => `${path}: ${name}`))).toEqual([]);
  });

  it("has no array of numbers in a uniform, whose elements would lie closer than 16 bytes", () => {
    expect(uniformTypes(codes).length).toBeGreaterThan(200);
    const wrong = "struct Inner {\n  spare: array<u32, 3>,\n}\nstruct A {\n  inner: Inner,\n}\nvar<uniform> a: A;";
    expect(uniformTypes([wrong]).filter((type) => NARROW.test(type))).toEqual(["array<u32, 3>"]);
    expect(uniformTypes(codes).filter((type) => NARROW.test(type))).toEqual([]);
  });
});

describe("composition", () => {
  const cells: WgslSource = { path: "cells.wgsl", text: "//#expects CELLS (per side), ORDER\nfn cells() {}" };
  const grid: WgslSource = { path: "grid.wgsl", text: "// first\nfn grid() {}", needs: [cells] };
  const plain: WgslSource = { path: "plain.wgsl", text: "enable f16;\nfn main() { grid(); }" };

  it("puts every file once, after what it imports, behind directives and constants, and finds lines again", () => {
    const { code, locate } = composeWgsl([grid, cells, plain, grid], { CELLS: 4, ORDER: "2u" });
    expect(code.split("\n")).toEqual([
      ...["enable f16;", "const CELLS = 4;", "const ORDER = 2u;"],
      ...[
        "//#expects CELLS (per side), ORDER",
        "fn cells() {}",
        "// first",
        "fn grid() {}",
        "",
        "fn main() { grid(); }",
      ],
    ]);
    expect(locate(7)).toEqual({ path: "grid.wgsl", line: 2 });
    expect(locate(9)).toEqual({ path: "plain.wgsl", line: 2 });
  });

  it("takes expected names from constants and from the kernel's other files, and tells which are missing where", () => {
    const order: WgslSource = { path: "order.wgsl", text: "@group(0) @binding(0) var<storage, read> ORDER: u32;" };
    expect(() => composeWgsl([grid, order], { CELLS: 4 })).not.toThrow();
    expect(() => composeWgsl([grid, plain], { CELLS: 4 })).toThrow(
      "cells.wgsl expects ORDER: neither constants of the kernel (CELLS) nor declared in cells.wgsl, grid.wgsl, plain.wgsl",
    );
  });

  it("refuses files that import one another", () => {
    const one: { path: string; text: string; needs: WgslSource[] } = { path: "one.wgsl", text: "", needs: [] };
    one.needs.push({ path: "two.wgsl", text: "", needs: [one] });
    expect(() => composeWgsl([one])).toThrow("WGSL files import one another: one.wgsl → two.wgsl → one.wgsl");
  });
});

describe("the build", () => {
  it.each([
    ['fn f() {}\n//#import "nowhere.wgsl"', 'wgsl/lib/new.wgsl:2: imports "nowhere.wgsl", which doesn\'t exist'],
    ["//#import nowhere.wgsl", 'wgsl/lib/new.wgsl:1: expected //#import "file.wgsl", found //#import nowhere.wgsl'],
  ])("says where an import is wrong: %j", async (text, message) => {
    const { moduleFor } = (await import(join(root, ".tooling/wgsl-plugin.mjs"))) as {
      moduleFor(file: string, text: string): string;
    };
    expect(() => moduleFor(join(root, "wgsl/lib/new.wgsl"), text)).toThrow(message);
    expect(moduleFor(join(root, "wgsl/lib/new.wgsl"), '//#import "grid.wgsl"')).toContain('from "./grid.wgsl"');
  });
});
