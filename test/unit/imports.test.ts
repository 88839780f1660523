/**
 * The import directions of docs/architecture.md, read off the sources, on the graph of folders: who may import whom, no
 * cycles, no grant that nobody uses, and no folder that outgrows the others. Types count as much as code.
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
  "#platform": "src/platform/platform.ts",
  "#snapshot-files": "src/io/snapshot-files.ts",
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

/** The part of the code that a file belongs to: its folder in src, or the file itself where it is a door. */
function partOf(path: string): string {
  const [, first, second] = path.split("/");
  return second === undefined ? first.replace(/\.tsx?$/, "") : first;
}

/** What every part may import. */
const VOCABULARY = ["base"];

/** What each part imports, from the bottom of the house to its top: a line may name the lines above it alone. */
const MAY_IMPORT: Record<string, string[]> = {
  deck: [],
  gpu: [],
  cosmology: ["deck"],
  ranks: [],
  particles: ["deck", "gpu", "ranks"],
  potentials: ["deck", "gpu", "cosmology", "particles"],
  mond: ["deck", "cosmology"],
  mesh: ["deck", "gpu", "ranks", "particles", "potentials", "mond"],
  time: ["deck", "gpu", "cosmology", "ranks", "particles", "mesh"],
  diagnostics: ["gpu", "ranks", "particles", "mesh"],
  initial: ["deck", "cosmology", "particles", "potentials", "mond"],
  platform: ["gpu", "ranks", "initial"],
  lpt: ["deck", "gpu", "mesh", "initial"],
  backend: ["gpu", "particles", "diagnostics"],
  direct: ["deck", "gpu", "ranks", "particles", "potentials", "backend"],
  p3m: ["deck", "gpu", "particles", "mesh", "direct"],
  scenario: [
    "deck",
    "gpu",
    "cosmology",
    "particles",
    "potentials",
    "mond",
    "mesh",
    "time",
    "diagnostics",
    "initial",
    "direct",
    "p3m",
  ],
  reference: [
    "cosmology",
    "ranks",
    "particles",
    "potentials",
    "mond",
    "mesh",
    "initial",
    "lpt",
    "backend",
    "direct",
    "p3m",
  ],
  pipeline: ["gpu", "ranks", "particles", "mesh", "time", "diagnostics", "backend", "p3m"],
  ranked: [
    "gpu",
    "ranks",
    "particles",
    "mesh",
    "diagnostics",
    "initial",
    "platform",
    "backend",
    "direct",
    "reference",
    "pipeline",
  ],
  "direct-summation": ["gpu", "ranks", "platform", "direct", "reference", "ranked"],
  io: ["deck", "cosmology", "particles", "diagnostics"],
  page: ["deck", "diagnostics"],
  simulation: [
    "deck",
    "gpu",
    "cosmology",
    "ranks",
    "particles",
    "potentials",
    "mond",
    "time",
    "diagnostics",
    "initial",
    "platform",
    "lpt",
    "backend",
    "direct",
    "scenario",
    "reference",
    "pipeline",
    "ranked",
    "p3m",
  ],
  run: [
    "deck",
    "gpu",
    "cosmology",
    "ranks",
    "particles",
    "potentials",
    "mesh",
    "time",
    "diagnostics",
    "initial",
    "backend",
    "direct",
    "scenario",
    "ranked",
    "io",
    "page",
    "simulation",
  ],
  index: [
    "deck",
    "gpu",
    "cosmology",
    "particles",
    "potentials",
    "mesh",
    "time",
    "diagnostics",
    "initial",
    "backend",
    "direct",
    "scenario",
    "io",
    "simulation",
    "run",
  ],
  study: ["gpu", "ranks", "page", "run"],
  validate: [
    "deck",
    "gpu",
    "particles",
    "potentials",
    "mesh",
    "time",
    "diagnostics",
    "initial",
    "backend",
    "direct",
    "scenario",
    "reference",
    "pipeline",
    "direct-summation",
    "io",
    "page",
    "simulation",
    "run",
    "study",
  ],
  compare: [
    "deck",
    "particles",
    "diagnostics",
    "initial",
    "backend",
    "scenario",
    "reference",
    "io",
    "page",
    "simulation",
    "run",
    "study",
    "validate",
  ],
  view: ["gpu", "particles", "page"],
  bench: [
    "deck",
    "gpu",
    "ranks",
    "particles",
    "mond",
    "mesh",
    "initial",
    "backend",
    "direct",
    "scenario",
    "reference",
    "pipeline",
    "direct-summation",
    "page",
    "simulation",
    "run",
    "study",
    "validate",
    "view",
  ],
  doctor: [
    "gpu",
    "particles",
    "potentials",
    "mesh",
    "diagnostics",
    "initial",
    "lpt",
    "backend",
    "direct",
    "reference",
    "pipeline",
    "direct-summation",
    "page",
    "simulation",
    "study",
    "view",
    "bench",
  ],
  live: ["deck", "particles", "time", "diagnostics", "scenario", "io", "simulation", "run"],
  site: [
    "deck",
    "gpu",
    "particles",
    "potentials",
    "time",
    "diagnostics",
    "initial",
    "scenario",
    "io",
    "page",
    "simulation",
    "run",
    "view",
    "doctor",
    "live",
  ],
  movie: ["particles", "scenario", "io", "page", "run", "view"],
  ensemble: ["deck", "diagnostics", "initial", "scenario", "io", "page", "run", "study"],
  amuse: ["deck", "initial", "particles", "potentials", "time", "backend", "scenario", "io", "simulation", "run"],
  cli: [
    "amuse",
    "deck",
    "gpu",
    "ranks",
    "particles",
    "direct",
    "ranked",
    "io",
    "page",
    "simulation",
    "run",
    "study",
    "validate",
    "compare",
    "view",
    "bench",
    "doctor",
    "live",
    "movie",
    "ensemble",
  ],
};

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

  it("go one way, from folder to folder", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (!isOurs(to)) return false;
      const [part, other] = [partOf(from), partOf(to)];
      return part !== other && !VOCABULARY.includes(other) && !MAY_IMPORT[part]?.includes(other);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it("are granted in an order without cycles, and every grant is used", () => {
    const order = Object.keys(MAY_IMPORT);
    const used = new Set(imports.filter(({ to }) => isOurs(to)).map(({ from, to }) => `${partOf(from)} ${partOf(to)}`));
    const backwards = order.flatMap((part, place) =>
      MAY_IMPORT[part].filter((other) => !order.slice(0, place).includes(other)).map((other) => `${part} → ${other}`),
    );
    const unused = order.flatMap((part) =>
      MAY_IMPORT[part].filter((other) => !used.has(`${part} ${other}`)).map((other) => `${part} → ${other}`),
    );
    expect({ backwards, unused }).toEqual({ backwards: [], unused: [] });
  });

  it("cover every part of src, and no other", () => {
    expect(Object.keys(MAY_IMPORT).sort()).toEqual(parts.filter((part) => !VOCABULARY.includes(part)).sort());
  });

  it("keep the float64 pipelines and the initial conditions away from the GPU", () => {
    const apart = files.filter((file) => /^src\/(reference|initial|cosmology|deck)\//.test(file));
    const wrong = apart.flatMap((file) =>
      [...reached(file)].filter((other) => other.startsWith("src/gpu/")).map((to) => shown({ from: file, to })),
    );
    expect(wrong).toEqual([]);
  });

  it("use Node's built-ins in the rooms of the command line and the Node doors only", () => {
    // The page reads snapshots by the same readers, built with stand-ins for the built-ins (.tooling/page-files.mjs).
    const rooms =
      /^src\/((cli|amuse|run|study|compare|validate|bench|movie|ensemble)\/.*|.*\.node|site\/worker\/dropped-snapshots)\.ts$/;
    const nodeOnly = (to: string) =>
      /^(node:|webgpu$|h5wasm\/node$|commander$|picocolors$)/.test(to) || /\.node\.ts$/.test(to);
    expect(imports.filter(({ from, to }) => nodeOnly(to) && !rooms.test(from)).map(shown)).toEqual([]);
  });

  it("name packages that package.json lists as dependencies", () => {
    const { optionalDependencies, devDependencies, ...others } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    );
    const dependencies = { ...others.dependencies, ...optionalDependencies };
    // The page is bundled, packages included: who installs gravmesh doesn't need them.
    const known = (from: string) =>
      /^src\/site\//.test(from) ? { ...dependencies, ...devDependencies } : dependencies;
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

  it("leave no folder but bench/ with more than an eighth of src", () => {
    const size = new Map(parts.map((part) => [part, 0]));
    for (const file of files) size.set(partOf(file), size.get(partOf(file))! + lines(file));
    const all = [...size.values()].reduce((sum, count) => sum + count, 0);
    const large = [...size].filter(([part, count]) => part !== "bench" && count > all / 8);
    expect(large).toEqual([]);
  });
});
