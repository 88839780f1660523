/** The packed package somewhere else: its files, its bin, its library for Node and its types. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root, SMALL, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** As `npm install TARBALL` would lay it out, without a registry: dependencies are this project's own. */
beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", work()], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const modules = join(work(), "node_modules");
  mkdirSync(join(modules, "gravmesh"), { recursive: true });
  execFileSync("tar", ["-xzf", join(work(), filename), "-C", join(modules, "gravmesh"), "--strip-components=1"]);
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(work(), "package.json"), '{ "type": "module" }');
});

const installed = (...path: string[]) => join(work(), "node_modules/gravmesh", ...path);
const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: work(), encoding: "utf8" });

describe("the packed package", () => {
  it("holds what a user needs and no sources", () => {
    expect(readdirSync(installed()).sort()).toEqual(
      [
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "README.md",
        "dist",
        "docs",
        "package.json",
        "scenarios",
        "src",
      ].sort(),
    );
    expect(readdirSync(installed("src"), { recursive: true }).filter((name) => /\.tsx?$/.test(String(name)))).toEqual(
      [],
    );
    expect(readdirSync(installed("src/doors/python/gravmesh"))).toContain("columns.json");
    expect(readdirSync(installed("scenarios"))).toContain("spiral.toml");
    expect(existsSync(installed("dist/types/index.d.ts"))).toBe(true);
  });

  it("refers to nothing outside itself and its dependencies", () => {
    const files = readdirSync(installed("dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".js"),
    );
    const imports = files.flatMap((name) => {
      const code = readFileSync(installed("dist", name), "utf8");
      return [...code.matchAll(/^(?:import|export)[^"'\n]*from\s*["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm)].map(
        (match) => ({ name, to: match[1] ?? match[2] }),
      );
    });
    const packageOf = (to: string) =>
      to
        .split("/")
        .slice(0, to.startsWith("@") ? 2 : 1)
        .join("/");
    const wrong = imports.filter(({ name, to }) => {
      if (to.startsWith("node:") || to.startsWith(".")) return name.startsWith("browser") && !to.startsWith(".");
      return (
        name.startsWith("browser") || !(packageOf(to) in { ...manifest.dependencies, ...manifest.optionalDependencies })
      );
    });
    expect(wrong).toEqual([]);
    expect(imports.length).toBeGreaterThan(10);
  });

  it("runs its bin, which loads extensions from wherever they are, and is the package that they get", () => {
    const bin = installed("dist/bin/gravmesh.js");
    const { stdout, status } = spawnSync(bin, ["--version"], { cwd: work(), encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: `${manifest.version}\n`, status: 0 });
    const examples = ["bulk-speed.mjs", "extent.mjs"].flatMap((name) => [
      "--extension",
      installed("docs/examples", name),
    ]);
    const run = node(bin, "run", "plummer", ...SMALL, "--backend", "cpu", "--quiet", ...examples);
    expect(run).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const results = join(work(), "results/plummer");
    expect(existsSync(join(results, "report.html"))).toBe(true);
    expect(readFileSync(join(results, "diagnostics.csv"), "utf8")).toMatch(/,bulk_speed\n/);
    expect(existsSync(join(results, "extent.txt"))).toBe(true);
  });

  it("is a library for Node", () => {
    writeFileSync(join(work(), "example.mjs"), readFileSync(join(root, "docs/examples/node.mjs")));
    const { stdout, status, stderr } = node("example.mjs");
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^20000 particles on .*\n/);
    const [, error, virial] = /energy error (\S+), virial ratio (\S+)/.exec(stdout)!;
    expect(Math.abs(Number(error))).toBeLessThan(5e-3);
    expect(Number(virial)).toBeGreaterThan(0.9);
    expect(Number(virial)).toBeLessThan(1.1);
  });

  it("has a second door for direct summation", () => {
    writeFileSync(join(work(), "direct.mjs"), readFileSync(join(root, "docs/examples/direct.mjs")));
    const { stdout, status, stderr } = node("direct.mjs");
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^500 bodies on .*, double/);
    const [, error] = /energy error (\S+)/.exec(stdout)!;
    expect(Math.abs(Number(error))).toBeLessThan(1e-5);
    const [, distance, within] = /nearest to body 0: body \d+ at (\S+)\n(\d+) bodies within 0.2/.exec(stdout)!;
    expect(Number(distance) < 0.2).toBe(Number(within) > 0);
    expect(existsSync(installed("dist/browser/direct.js"))).toBe(true);
  });

  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const flags = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom"];
  const compile = (...files: string[]) => node(tsc, ...flags, "--types", "", ...files);

  it("has types that a strict compiler accepts, and that refuse what is misspelt", () => {
    const use = (name: string, advance: string, kind: string) =>
      writeFileSync(
        join(work(), name),
        `import { completeScenario, type Diagnostics, readSnapshot, Simulation, writeSnapshot } from "gravmesh";
import { DirectSummation } from "gravmesh/direct";
const scenario = completeScenario({
  title: "typed",
  box: { size: 8 },
  mesh: { cells: 32 },
  particles: [{ kind: "${kind}", count: 10 }],
  time: { end: 1, step: 0.1 },
});
const simulation: Simulation = await Simulation.create(scenario, { backend: "cpu" });
const diagnostics: Diagnostics = await simulation.diagnostics();
const { positions }: { positions: Float64Array } = await simulation.readParticles();
await simulation.advance(${advance});
await writeSnapshot("a.hdf5", await simulation.readParticles({ potential: true }), { scenario, time: simulation.time });
await Simulation.create(scenario, { particles: await readSnapshot("a.hdf5", { units: "nbody" }) });
await Simulation.create(scenario, { particles: { positions: [1, 2, 3], masses: 1 } });
const direct: DirectSummation = await DirectSummation.create({ backend: "cpu" });
await direct.setSources({ positions: new Float64Array(3), velocities: [0, 0, 0], masses: 1 });
const { accelerations, jerks }: { accelerations: Float64Array; jerks?: Float64Array } = await direct.forces();
export { accelerations, diagnostics, jerks, positions };
`,
      );
    use("use.ts", "{ until: 1 }", "plummer");
    use("misuse.ts", "{ untill: 1 }", "plumer");
    const { stdout } = compile("use.ts", "misuse.ts");
    const lines = stdout
      .trim()
      .split("\n")
      .filter((line) => /^\S/.test(line));
    expect(lines.map((line) => line.replace(/\(.*/, ""))).toEqual(["misuse.ts", "misuse.ts"]);
    expect(stdout).toMatch(/"plumer"' is not assignable to type/);
    expect(stdout).toMatch(/'untill' does not exist in type 'AdvanceOptions'/);
  });

  it("names the types of WebGPU for TypeScript before 6, which doesn't know them", () => {
    const doors = Object.values<Record<string, string>>(manifest.exports).filter((door) => door.types !== undefined);
    expect(doors).toHaveLength(3);
    for (const door of doors) {
      expect(Object.keys(door)[0]).toBe("types@<6");
      const [, target] = /^\/\/\/ <reference types="@webgpu\/types" \/>\nexport \* from "(.*)\.js";\n$/.exec(
        readFileSync(installed(door["types@<6"]), "utf8"),
      )!;
      expect(join(dirname(door["types@<6"]), `${target}.d.ts`)).toBe(join(door.types));
    }
    expect(manifest.dependencies).toHaveProperty("@webgpu/types");
  });

  it("is what every example of the documentation compiles against, whatever a compiler asks for", () => {
    // What the pages take for given, where an example doesn't make it itself.
    const given: Record<string, string> = {
      ...{ positions: "Float64Array", velocities: "Float32Array", masses: "Float64Array" },
      ...{ text: "string", softening: "number", sample: "number[]", device: "GPUDevice" },
      ...{ scenario: 'import("gravmesh").Scenario', gpu: 'import("gravmesh").GpuContext' },
      particles: ["FriendsOfFriends", "PowerSpectrum"]
        .map((name) => `Parameters<typeof import("gravmesh").${name}.create>[1]`)
        .join(" & "),
    };
    const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
    const files = pages.flatMap((page) => {
      if (!page.endsWith(".md")) return [];
      const blocks = [...readFileSync(join(root, page), "utf8").matchAll(/^```(ts|js)\n([\s\S]*?)^```$/gm)];
      return blocks.map(([, language, code], i) => {
        const isOwn = (name: string) => new RegExp(`(const|import) (type )?(\\{[^}]*)?\\b${name}\\b`).test(code);
        const deck = page.includes("embedding") ? 'import("gravmesh").Deck' : "string";
        const free = Object.entries({ ...given, deck }).filter(([name]) => !isOwn(name));
        const declared = free.map(([name, type]) => `declare const ${name}: ${type};\n`).join("");
        const classes = ["FriendsOfFriends", "PowerSpectrum", "Simulation"].filter(
          (name) => code.includes(`${name}.`) && !isOwn(name),
        );
        const imported = `import { ${classes.join(", ")} } from "gravmesh";\n`;
        const direct = code.includes("DirectSummation.") && !isOwn("DirectSummation");
        const file = `${page.replace(/\W/g, "-")}-${i}.${language}`;
        const text = [imported, direct ? 'import { DirectSummation } from "gravmesh/direct";\n' : "", code];
        writeFileSync(join(work(), file), language === "ts" ? `${declared}${text.join("")}` : code);
        return file;
      });
    });
    const [typed, plain] = [".ts", ".js"].map((ending) => files.filter((name) => name.endsWith(ending)));
    expect([typed.length, plain.length]).toEqual([13, 2]);
    expect(compile("--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", ...typed)).toMatchObject({
      ...{ stdout: "", status: 0 },
    });
    expect(compile("--allowJs", "--checkJs", ...plain)).toMatchObject({ stdout: "", status: 0 });
  });

  it("writes and reads snapshots", () => {
    const page = readFileSync(join(root, "docs/library.md"), "utf8");
    const [, example] = /^## Snapshots$[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(page)!;
    const code = example
      .replace(": SnapshotLoader =", " =")
      .replace("type SnapshotLoader, ", "")
      .replaceAll(
        "Simulation.create(scenario",
        "Simulation.create({ ...scenario, time: { ...scenario.time, end: 0.02 } }",
      )
      .replaceAll(/count: 10_000/g, "count: 100");
    writeFileSync(join(work(), "snapshots.mjs"), `${code}console.log(onward.particleCount, particles.components);`);
    const { stdout, stderr } = node("snapshots.mjs");
    expect(stdout, stderr).toMatch(/^100 \[ \{ name: 'plummer'/);
  });
});

describe("the version", () => {
  it("is the same in package.json, the sources and CITATION.cff", async () => {
    const { version } = await import("../../src/foundation/base/version.ts");
    expect(version).toBe(manifest.version);
    expect(readFileSync(join(root, "CITATION.cff"), "utf8")).toMatch(new RegExp(`^version: ${version}$`, "m"));
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`## ${version}`);
  });

  it("has a lock file without addresses", () => {
    expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved"/);
  });
});
