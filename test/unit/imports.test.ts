/** The import directions of docs/architecture.md, read off the sources: who may import whom, and no cycles. */
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
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

const files = sources(join(root, "src")).map((file) => relative(root, file));
const imports: Import[] = files.flatMap((from) =>
  importsOf(readFileSync(join(root, from), "utf8")).map(({ to, typeOnly }) => ({
    from,
    to: to.startsWith(".") ? relative(root, join(root, dirname(from), to)) : to,
    typeOnly,
  })),
);

/** The part of the code that a file belongs to: its folder in src, or the file itself. */
function partOf(path: string): string {
  const [, first, second] = path.split("/");
  return second === undefined ? first.replace(/\.ts$/, "") : first;
}

/** What each part may import from: src's folders and single files. Every part may import itself and the vocabulary. */
const VOCABULARY = ["errors", "backend", "version"];
const MAY_IMPORT: Record<string, string[]> = {
  backend: ["particles", "scenario"],
  errors: [],
  version: [],
  gpu: [],
  scenario: ["cosmology"],
  // state.ts, the plain arrays that everything shares, speaks of species.
  particles: ["gpu", "mesh", "scenario"],
  mesh: ["gpu", "particles", "scenario"],
  time: ["gpu", "particles", "mesh", "scenario", "cosmology"],
  diagnostics: ["gpu", "particles", "mesh", "scenario"],
  // reference: float64 sums over the particles, for the diagnostics.
  direct: ["gpu", "particles", "scenario", "reference"],
  cosmology: [],
  initial: ["particles", "scenario", "cosmology"],
  // The GPU's displacement fields, and the modes that they share with the float64 version.
  displacement: ["gpu", "mesh", "initial", "scenario"],
  // direct: types alone. displacement: modes.ts, which knows no GPU.
  reference: ["particles", "scenario", "mesh", "direct", "initial", "displacement"],
  io: ["particles", "scenario", "diagnostics", "cosmology"],
  pipeline: ["gpu", "particles", "mesh", "time", "diagnostics", "scenario"],
  analysis: ["particles", "diagnostics", "reference", "pipeline"],
  platform: ["gpu"],
  // The door of gravmesh/direct: it chooses between the engines of direct/ and reference/.
  "direct-summation": ["gpu", "direct", "reference", "scenario", "platform"],
  engine: [
    ...["gpu", "particles", "direct", "time", "displacement", "initial", "reference", "scenario"],
    ...["pipeline", "platform"],
  ],
  "simulation-checkpoint": ["particles", "scenario", "cosmology"],
  simulation: [
    "simulation-checkpoint",
    ...["gpu", "particles", "mesh", "direct", "time", "diagnostics", "initial", "reference", "scenario"],
    ...["pipeline", "engine", "analysis", "cosmology", "displacement"],
  ],
  index: [
    "gpu",
    "particles",
    "mesh",
    "direct",
    "cosmology",
    "time",
    "diagnostics",
    "initial",
    "reference",
    "scenario",
    "simulation",
    "io",
  ],
  cli: [
    ...[
      "gpu",
      "particles",
      "mesh",
      "direct",
      "direct-summation",
      "time",
      "diagnostics",
      "initial",
      "reference",
      "scenario",
      "simulation",
    ],
    ...["pipeline", "engine", "io", "cosmology"],
  ],
};

const name = (part: string) => part.replace(/^platform\..*/, "platform");

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

  it("go one way", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (!to.startsWith("src/")) return false;
      const [part, other] = [name(partOf(from)), name(partOf(to))];
      return part !== other && !VOCABULARY.includes(other) && !(MAY_IMPORT[part] ?? []).includes(other);
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it("cover every part of src", () => {
    expect([...new Set(files.map((file) => name(partOf(file))))].filter((part) => !(part in MAY_IMPORT))).toEqual([]);
  });

  it("keep the float64 pipeline and the initial conditions away from the GPU, for their sources too", () => {
    const reaches = (start: string): string[] => {
      const seen = new Set<string>();
      const visit = (file: string) => {
        if (seen.has(file)) return;
        seen.add(file);
        for (const { from, to, typeOnly } of imports)
          if (from === file && !typeOnly && to.startsWith("src/")) visit(to);
      };
      visit(start);
      return [...seen];
    };
    const apart = files.filter((file) => /^src\/(reference|initial)\//.test(file));
    const wrong = apart.flatMap((file) =>
      reaches(file)
        .filter((reached) => reached.startsWith("src/gpu/"))
        .map((reached) => `${file} → … → ${reached}`),
    );
    expect(wrong).toEqual([]);
  });

  it("use Node's built-ins in cli/, io/*.node.ts and the Node doors only", () => {
    const allowed = /^src\/(cli\/.*|io\/.*\.node|gpu\/device\.node)\.ts$/;
    const nodeOnly = (to: string) => /^(node:|webgpu$|h5wasm\/node$|commander$|picocolors$)/.test(to);
    const wrong = imports.filter(({ from, to }) => nodeOnly(to) && !allowed.test(from));
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
    const doors = /^src\/(cli\/.*|io\/.*\.node|gpu\/device\.node|platform\.node)\.ts$/;
    const leaks = imports.filter(({ from, to }) => /\.node\.ts$/.test(to) && !doors.test(from));
    expect(leaks.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it("name packages that package.json lists as dependencies", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const packageOf = (to: string) =>
      to
        .split("/")
        .slice(0, to.startsWith("@") ? 2 : 1)
        .join("/");
    const outside = imports.filter(({ to }) => !/^(src\/|wgsl\/|node:|#)/.test(to));
    expect(
      outside.filter(({ to }) => !(packageOf(to) in dependencies)).map(({ from, to }) => `${from} → ${to}`),
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
});
