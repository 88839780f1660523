/**
 * The import directions of docs/architecture.md, read off the sources: from wing to lower wing and from room to earlier room, no
 * cycles, and no room that outgrows the others. Types count as much as code.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const IMPORT = /(?:^|[;}\s])(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s*)?["']([^"']+)["']/g;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

interface Import {
  from: string;
  to: string;
  /** Erased by the compiler. */
  typeOnly: boolean;
}

/** Import statements of a source text; comments don't count, nor do named types in a mixed import. */
function importsOf(text: string): { to: string; typeOnly: boolean }[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const statics = [...code.matchAll(IMPORT)].map((match) => ({ to: match[2], typeOnly: match[1] !== undefined }));
  const dynamics = [...code.matchAll(DYNAMIC)].map((match) => ({ to: match[1], typeOnly: false }));
  return [...statics, ...dynamics];
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

const BY_CONDITION: Record<string, string> = {
  "#platform": "src/engine/platform/platform.ts",
  "#snapshot-files": "src/run/io/snapshot-files.ts",
};

const files = sources(join(root, "src")).map((file) => relative(root, file));
const imports: Import[] = files.flatMap((from) =>
  importsOf(readFileSync(join(root, from), "utf8")).map(({ to, typeOnly }) => ({
    from,
    // "#platform" is a file for Node and another for browsers, and so is "#snapshot-files".
    to: to.startsWith(".") ? relative(root, join(root, dirname(from), to)) : (BY_CONDITION[to] ?? to),
    typeOnly,
  })),
);

/**
 * The wings of src from the ground up, and the rooms of each: a file imports from wings below its own and, inside its wing,
 * from its own room and those before it. "." is what lies in the wing itself.
 */
const HOUSE: Record<string, string> = {
  foundation: "base deck gpu ranks",
  physics: "particles cosmology potentials mond initial",
  engine: "gpu-particles mesh time diagnostics platform lpt backend direct p3m reference pipeline ranked .",
  scenario: ". simulation",
  run: "io page .",
  studio: "view live movie",
  study: ". validate compare bench doctor ensemble",
  doors: ". site amuse cli python",
};

/** The room of a file, as "wing/room"; "doors/." for the files of src itself. */
function partOf(path: string): string {
  const [, wing, room, file] = path.split("/");
  return room === undefined
    ? "doors/."
    : `${wing}/${file !== undefined && HOUSE[wing]?.split(" ").includes(room) ? room : "."}`;
}

const rooms = Object.entries(HOUSE).flatMap(([wing, names]) => names.split(" ").map((room) => `${wing}/${room}`));

const parts = [...new Set(files.map(partOf))];
const isOurs = (to: string) => to.startsWith("src/");
const lines = (file: string) => readFileSync(join(root, file), "utf8").split("\n").length;
const shown = ({ from, to }: Pick<Import, "from" | "to">) => `${from} → ${to}`;

/** Files that `start` reaches by imports that the compiler keeps. */
function reached(start: string): Set<string> {
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly && isOurs(to)) visit(to);
  };
  visit(start);
  return seen;
}

describe("imports", () => {
  it("are found in the ways that they can be written", () => {
    const text = `import a from "./a.ts";
import { b, type C } from "./b.ts";
import type { D } from "./d.ts";
export {
  e,
} from "./e.ts";
import "./f.ts";
// import g from "./g.ts";
/* import h from "./h.ts"; */
const i = await import("./i.ts");
export * from './j.ts';
const text = "from here";`;
    const found = importsOf(text);
    expect(found.map(({ to }) => to).sort()).toEqual(["a", "b", "d", "e", "f", "i", "j"].map((x) => `./${x}.ts`));
    expect(found.filter(({ typeOnly }) => typeOnly).map(({ to }) => to)).toEqual(["./d.ts"]);
  });

  it("go one way: from wing down to wing, and from room to earlier room", () => {
    const wrong = imports.filter(
      ({ from, to }) => isOurs(to) && rooms.indexOf(partOf(from)) < rooms.indexOf(partOf(to)),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("are between rooms of the house, and every room has files", () => {
    expect(parts.sort()).toEqual(rooms.filter((room) => room !== "doors/python").sort());
  });

  it("keep the float64 pipelines and the initial conditions away from the GPU", () => {
    const apart = files.filter((file) =>
      /^src\/(engine\/reference|physics\/(initial|cosmology)|foundation\/deck)\//.test(file),
    );
    const wrong = apart.flatMap((file) =>
      [...reached(file)]
        .filter((other) => other.startsWith("src/foundation/gpu/"))
        .map((to) => shown({ from: file, to })),
    );
    expect(wrong).toEqual([]);
  });

  it("use Node's built-ins in the rooms of the command line and the Node doors only", () => {
    // The page reads snapshots by the same readers, built with stand-ins for the built-ins (.tooling/page-files.mjs).
    const nodeRooms =
      /^src\/(doors\/(cli|amuse)\/.*|run\/(?!io\/|page\/).*|study\/(?!doctor\/).*|studio\/movie\/.*|.*\.node|doors\/site\/worker\/dropped-snapshots)\.ts$/;
    const nodeOnly = (to: string) =>
      /^(node:|webgpu$|h5wasm\/node$|commander$|picocolors$)/.test(to) || /\.node\.ts$/.test(to);
    expect(imports.filter(({ from, to }) => nodeOnly(to) && !nodeRooms.test(from)).map(shown)).toEqual([]);
  });

  it("name packages that package.json lists as dependencies", () => {
    const { optionalDependencies, devDependencies, ...others } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    );
    const dependencies = { ...others.dependencies, ...optionalDependencies };
    // The page is bundled, packages included: who installs gravmesh doesn't need them.
    const known = (from: string) =>
      /^src\/doors\/site\//.test(from) ? { ...dependencies, ...devDependencies } : dependencies;
    const packageOf = (to: string) =>
      to
        .split("/")
        .slice(0, to.startsWith("@") ? 2 : 1)
        .join("/");
    const outside = imports.filter(({ to }) => !/^(src\/|wgsl\/|node:)/.test(to));
    expect(
      outside.filter(({ from, to }) => !(packageOf(to) in known(from))).map(({ from, to }) => `${from} → ${to}`),
    ).toEqual([]);
  });

  it("make no cycles", () => {
    const next = new Map(files.map((file) => [file, [] as string[]]));
    for (const { from, to, typeOnly } of imports) if (!typeOnly && next.has(to)) next.get(from)!.push(to);
    const state = new Map<string, "open" | "done">();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (state.get(file) === "done") return;
      if (state.get(file) === "open") {
        cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
        return;
      }
      state.set(file, "open");
      for (const other of next.get(file)!) visit(other, [...path, file]);
      state.set(file, "done");
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it("leave no room with more than an eighth of src", () => {
    const size = new Map(parts.map((part) => [part, 0]));
    for (const file of files) size.set(partOf(file), size.get(partOf(file))! + lines(file));
    const all = [...size.values()].reduce((sum, count) => sum + count, 0);
    const large = [...size].filter(([, count]) => count > all / 8);
    expect(large).toEqual([]);
  });
});
