import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { keyInfo } from "../../src/foundation/deck/keys.ts";
import { deckText, tomlValue } from "../../src/scenario/deck.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scenarioWarnings } from "../../src/scenario/remarks.ts";
import { arraySections, headerTable, type Scenario, type Shape, sections } from "../../src/scenario/scenario.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const decks = readdirSync(join(root, "scenarios")).filter((name) => name.endsWith(".toml"));
const read = (name: string) => readFileSync(join(root, "scenarios", name), "utf8");

const EVERYTHING = `title = 'Quotes " \\, tabs	and ünïcode 🌌 # not a comment'
reference = """two
lines \\u007f"""
expect = "[x] = 1"
[units]
system = "cosmological"
[box]
size = 1.2345e5
boundary = "isolated"
[mesh]
cells = 48
assignment = "tsc"
deposit = "host"
green = "discrete"
kernel = "cell-integrated"
gradient = "spectral"
[[particles]]
kind = "plummer"
count = 12_345_678
mass = 1.0000000000000002e-18
scale = 999999999999999900.0
cutoff = 0.1
offset = [-0.0, 1e3, -1e-7]
seed = 4_294_967_295
[[particles]]
kind = "hernquist"
name = "dark halo"
rigid = true
mass = 0.30000000000000004
scale = 12345678901234568.0
[[particles]]
kind = "exponential-disk"
count = 1
mass = 1
scaleLength = 3
scaleHeight = 0.1
[[particles]]
kind = "uniform"
count = 10_000
mass = 1e18
velocityDispersion = 0
[[particles]]
kind = "snapshot"
file = 'C:\\data\\start.hdf5'
velocity = [1, 2, 3]
[time]
end = 10
step = "adaptive"
maxStep = inf
[output]
checkpointMinutes = 0.5
potential = true
compression = 9
`;

describe("the deck as run", () => {
  it("is the same scenario again, to the last bit", () => {
    const scenario = parseScenario(EVERYTHING);
    const text = deckText(scenario);
    expect(parseScenario(text)).toEqual(scenario);
    expect(deckText(parseScenario(text))).toBe(text);
    expect(Object.is((parseScenario(text).particles[0].offset as number[])[0], -0)).toBe(true);
    expect(parseScenario(text).time.maxStep).toBe(Number.POSITIVE_INFINITY);
  });

  it.each(decks)("of scenarios/%s is the same scenario again", (name) => {
    const scenario = parseScenario(read(name));
    expect(parseScenario(deckText(scenario))).toEqual(scenario);
  });

  it("names every key, with units and meanings", () => {
    const text = deckText(parseScenario(read("spiral.toml")));
    expect(text).toContain("size     = 40.0                    # [kpc] side of the cube that the mesh covers");
    expect(text).toContain("count       = 300_000              # number of particles");
    expect(text).toContain("# kpc, 1e10 Msun, km/s; G = 43009.17");
    for (const shape of [headerTable.shape, ...Object.values(sections).map((section) => section.shape)]) {
      for (const key of Object.keys(shape)) expect(text).toMatch(new RegExp(`^${key} += .+ # `, "m"));
    }
  });

  it.each([
    [1, "1.0"],
    [-0, "-0.0"],
    [1e21, "1e+21"],
    [1e-7, "1e-7"],
    [0.1, "0.1"],
    [Number.MAX_SAFE_INTEGER + 1, "9007199254740992.0"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
    [Number.NaN, "nan"],
  ])("writes %d as %s", (value, text) => {
    expect(tomlValue(value)).toBe(text);
    expect(parse(`v = ${text}`).v).toBe(value);
  });

  it("writes integers and texts that TOML reads back", () => {
    for (const value of [0, 9999, 10_000, 4_294_967_295, Number.MAX_SAFE_INTEGER]) {
      expect(parse(`v = ${tomlValue(value, true)}`).v).toBe(value);
    }
    expect(tomlValue(1_234_567, true)).toBe("1_234_567");
    for (const value of ["", '"', "\\", "\u0000\u007f\u0085\u2028\n", "é🌌"]) {
      expect(parse(`v = ${tomlValue(value)}`).v).toBe(value);
    }
    expect(parse(`v = ${tomlValue("half \ud800 pair")}`).v).toBe("half \ufffd pair");
  });
});

function withInner(shape: Shape): Shape[] {
  return [shape, ...Object.values(shape).flatMap((key) => keyInfo(key)?.inner ?? ([] as Shape[]))];
}

describe("the schema", () => {
  it("has a meaning and an expectation for every key", () => {
    const shapes: Shape[] = [headerTable.shape, ...Object.values(sections).map((section) => section.shape)];
    for (const shape of [
      ...shapes,
      ...arraySections.flatMap((section) =>
        "schema" in section ? withInner(section.schema.shape) : section.kinds.records.map(({ schema }) => schema.shape),
      ),
    ]) {
      for (const [key, schema] of Object.entries(shape)) {
        if (key === "kind") continue;
        expect(keyInfo(schema)?.meaning, key).toMatch(/\S/);
        expect(keyInfo(schema)?.expected, key).toMatch(/\S/);
      }
    }
  });

  it("gives every run its own default values", () => {
    const deck = read("disk.toml");
    const first = parseScenario(deck);
    first.particles[0].offset[0] = 7;
    expect(parseScenario(deck).particles[0].offset).toEqual([0, 0, 0]);
  });
});

describe("the shipped scenarios", () => {
  it("are the paper's three and the flagship", () => {
    expect(decks).toEqual(expect.arrayContaining(["disk.toml", "plummer.toml", "spiral.toml", "uniform.toml"]));
  });

  it.each(decks)("%s has title, reference and expectation, and fits its mesh", (name) => {
    const scenario = parseScenario(read(name), { file: name });
    for (const key of ["title", "reference", "expect"] as const) expect(scenario[key]).toMatch(/\S/);
    expect(scenarioWarnings(scenario).filter((remark) => remark.includes("reaches"))).toEqual([]);
  });

  it.each(["plummer", "disk", "uniform"])("%s runs with 32³ and 128³ by override", (name) => {
    for (const n of [32, 128]) {
      const overrides = [`mesh.cells=${n}`, `particles.${name}.count=${n ** 3}`];
      const scenario: Scenario = parseScenario(read(`${name}.toml`), { overrides });
      expect(scenario).toMatchObject({ mesh: { cells: n }, particles: [{ count: n ** 3 }] });
      expect(scenarioWarnings(scenario).filter((remark) => remark.includes("reaches"))).toEqual([]);
      expect(read(`${name}.toml`).replace(/ +/g, " ")).toContain(`gravmesh run ${name} ${overrides.join(" ")}`);
    }
  });
});

describe("generated documentation", () => {
  it("is up to date", () => {
    execFileSync(process.execPath, [join(root, ".tooling/docs.mjs"), "--check"], { stdio: "pipe" });
  });
});
