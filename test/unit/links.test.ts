/** Files that comments, messages and pages of documentation name exist, and so do the headings that links point at. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const LEFT_OUT = new Set(["node_modules", "dist", "results", ".git", ".cache", "coverage"]);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const files = filesBelow(".");
const text = (file: string) => readFileSync(join(root, file), "utf8");
const names = new Set(files.map((file) => basename(file)));

/** Comments of a source file, one string. */
function commentsOf(file: string): string {
  const code = text(file);
  const marks = file.endsWith(".ts") || file.endsWith(".mjs") ? /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm : /\/\/.*$/gm;
  return [...code.matchAll(marks)].map(([comment]) => comment).join("\n");
}

/** A file of ours as a comment names it: with folders or without, and with one of our endings. */
const NAMED = /(?<![\w./*{}:-])((?:[\w.-]+\/)*[\w][\w.-]*\.(?:ts|mjs|wgsl|md|toml))(?![\w*{/])/g;

/** Whether `name`, found in `file`, is a file: beside it, from the root, src, wgsl or docs, or somewhere by its bare name. */
function exists(name: string, file: string): boolean {
  if (!name.includes("/")) return names.has(name);
  return [dirname(file), dirname(dirname(file)), ".", "src", "wgsl", "docs"].some((from) =>
    existsSync(join(root, from, name)),
  );
}

/** Names that stand for any file, or for one that a run writes. */
const NOT_OURS = /(^|\/)(scenario\.toml|deck\.toml|file\.wgsl|my-[\w-]+\.\w+|[A-Za-z]\.(d\.)?ts)$|(^|\/)[A-Z]+\//;
/** Tests that speak of files which aren't there. */
const OF_NO_FILES = /^test\/unit\/(links|imports|wgsl)\.test\.ts$/;

function missingNames(file: string, where: string): string[] {
  return [...where.matchAll(NAMED)]
    .map(([, name]) => name)
    .filter((name) => !NOT_OURS.test(name) && !exists(name, file))
    .map((name) => `${file}: ${name}`);
}

/** The anchor of a heading, as GitHub makes it. */
function anchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

function brokenLinks(file: string): string[] {
  const page = text(file).replace(/```[\s\S]*?```/g, "");
  return [...page.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path, heading] = target.split("#");
      const to = path === "" ? file : relative(root, join(root, dirname(file), decodeURIComponent(path)));
      if (!existsSync(join(root, to))) return true;
      if (heading === undefined || !to.endsWith(".md") || !statSync(join(root, to)).isFile()) return false;
      const anchors = [...text(to).matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchor(title));
      return !anchors.includes(heading.toLowerCase());
    })
    .map((target) => `${file}: ${target}`);
}

describe("files that are named", () => {
  it("are told from other words", () => {
    const found = [..."See src/gone.ts, lib/*.wgsl, e.g. a.b or https://x.org/y.md; `docs/gone.md`.".matchAll(NAMED)];
    expect(found.map(([, name]) => name)).toEqual(["src/gone.ts", "docs/gone.md"]);
    expect(missingNames("src/index.ts", "see src/gone.ts and foundation/gpu/kernel.ts")).toEqual([
      "src/index.ts: src/gone.ts",
    ]);
  });

  it("exist, in comments", () => {
    const sources = files.filter(
      (file) => /^(src|wgsl|test|\.tooling)\/.*\.(ts|mjs|wgsl)$/.test(file) && !OF_NO_FILES.test(file),
    );
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap((file) => missingNames(file, commentsOf(file)))).toEqual([]);
  });

  it("exist, in the documentation", () => {
    const pages = files.filter((file) => file.endsWith(".md") && file !== "CHANGELOG.md");
    expect(pages.length).toBeGreaterThan(15);
    const inCode = (file: string) => [...text(file).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code).join("\n");
    const ours = (file: string) =>
      missingNames(file, inCode(file)).filter((found) => /: (src|wgsl|test|docs|scenarios)\//.test(found));
    expect(pages.flatMap((file) => [...ours(file), ...brokenLinks(file)])).toEqual([]);
  });
});
