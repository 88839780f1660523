/** What the page's worker says of decks: problems at their lines, sliders, the vocabulary, what a fork may change. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkDeck } from "../../src/doors/site/worker/deck-check.ts";
import { switchOn } from "../../src/doors/site/worker/device.ts";
import { forked, forkRefusals, isForkable } from "../../src/doors/site/worker/fork.ts";
import { rangeOf, vocabularyOf } from "../../src/doors/site/worker/vocabulary.ts";
import { keyInfo } from "../../src/foundation/deck/keys.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { type DeckSection, kindSections, sections } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";

const DECK = `title = "a disk"
[box]
size = 40
[mesh]
cells = 32
[[particles]]
kind = "exponential-disk"
name = "thin"
count = 5000
mass = 1
scaleLength = 3
scaleHeight = 0.3
toomreQ = 1.2
seed = 7
[[particles]]
kind = "hernquist"
rigid = true
mass = 20
scale = 15
[units]
system = "galactic"
[time]
end = 1
step = 0.01
`;
const scenario = (overrides: string[] = []) => parseScenario(DECK, { overrides });

describe("a deck that is checked", () => {
  it("has no problems, a size and what it holds", () => {
    const check = checkDeck(DECK, [], undefined);
    expect(check).toMatchObject({ problems: [], particles: 5000, cells: 32 });
    expect(check.bytes).toBeGreaterThan(1e6);
    expect(checkDeck(DECK, ["particles.thin.count=6000"], undefined).particles).toBe(6000);
  });

  it("tells every problem at its line", () => {
    const wrong = DECK.replace("cells = 32", "cels = 32").replace("toomreQ = 1.2", 'toomreQ = "cold"');
    const { problems } = checkDeck(wrong, [], undefined);
    expect(problems.map(({ kind, line }) => ({ kind, line }))).toEqual([
      { kind: "scenario", line: 5 },
      { kind: "scenario", line: 13 },
    ]);
    expect(problems[0].message).toMatch(/^unknown key mesh\.cels: did you mean mesh\.cells\?$/);
    expect(problems[1].message).toMatch(/expected a number/);
  });

  it("tells where the text isn't TOML, and which override is wrong", () => {
    const { problems } = checkDeck(DECK.replace("size = 40", "size 40"), [], undefined);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ kind: "scenario", line: 3 });
    expect(problems[0].message).toMatch(/^expected TOML, found `size 40`/);
    const { problems: faults, sliders } = checkDeck(DECK, ["mesh.cells=33"], undefined);
    expect(faults[0].line).toBeUndefined();
    expect(faults[0].message).toMatch(/^override mesh\.cells=33: /);
    expect(sliders.length).toBeGreaterThan(0);
  });

  it("says with advice when it is too large for a page on the CPU", () => {
    const { problems } = checkDeck(DECK, ["mesh.cells=128", "particles.thin.count=1000000"], undefined);
    expect(problems).toHaveLength(1);
    expect(problems[0].kind).toBe("memory");
    expect(problems[0].message).toContain("found 128³ and 1000000");
    expect(problems[0].advice).toEqual(["mesh.cells=64", "at most 100000 particles (now 1000000)"]);
  });
});

describe("sliders", () => {
  it("are the numbers that the deck has, with room on both sides", () => {
    const { sliders } = checkDeck(DECK, [], undefined);
    const paths = sliders.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "particles.thin.count",
        "particles.thin.toomreQ",
        "particles.hernquist.mass",
        "time.step",
        "time.end",
      ]),
    );
    for (const path of ["mesh.cells", "box.size", "particles.thin.seed", "particles.thin.name"])
      expect(paths).not.toContain(path);
    for (const { least, most, value } of sliders) {
      expect(least).toBeLessThan(most);
      expect(value).toBeGreaterThanOrEqual(least);
      expect(value).toBeLessThanOrEqual(most);
    }
    const of = (path: string) => sliders.find((one) => one.path === path);
    expect(of("particles.thin.toomreQ")).toMatchObject({ label: "thin toomre Q", value: 1.2, integer: false });
    expect(of("particles.thin.count")).toMatchObject({ integer: true, least: 100, most: 50_000 });
    expect(of("particles.thin.scaleLength")).toMatchObject({ unit: "kpc" });
    expect(of("time.step")?.later).toBe(true);
    expect(of("particles.thin.mass")?.later).toBeUndefined();
  });

  it("of all decks that ship are within the schema at both ends", () => {
    const folder = new URL("../../scenarios/", import.meta.url);
    let tried = 0;
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".toml"))) {
      const text = readFileSync(new URL(name, folder), "utf8");
      const { sliders } = checkDeck(text, [], undefined);
      for (const { path, value, least } of sliders) {
        if (path.endsWith(".scale")) expect(least, path).toBeCloseTo(value / 10, 12); // the schema has none of 0
        const again = parseScenario(text, { overrides: [`${path}=${value}`] });
        expect(again.title).not.toBe("");
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(100);
  });
});

describe("the vocabulary", () => {
  const tables = vocabularyOf();

  it("has every key of the schema with its meaning", () => {
    for (const [name, { shape }] of Object.entries(sections)) {
      const table = tables.find((one) => one.name === name);
      const known = Object.entries(shape).filter(([, schema]) => keyInfo(schema));
      expect(table?.keys.map(({ key }) => key)).toEqual(known.map(([key]) => key));
      expect(table?.array).toBe(false);
    }
    for (const { name, kinds } of kindSections) {
      expect(tables.filter((one) => one.name === name).map(({ kind }) => kind)).toEqual(kinds.names);
    }
    for (const { keys } of tables) for (const { meaning } of keys) expect(meaning).not.toBe("");
  });

  it("tells words, ranges, units, defaults and what is required", () => {
    const key = (table: DeckSection | "particles", name: string, kind?: string) =>
      tables.find((one) => one.name === table && one.kind === kind)?.keys.find((one) => one.key === name);
    expect(key("mesh", "assignment")).toMatchObject({ kind: "text", values: expect.arrayContaining(["cic", "tsc"]) });
    expect(key("box", "size")).toMatchObject({ kind: "number", unit: "length", required: true });
    expect(key("box", "boundary")).toMatchObject({ default: '"isolated"', required: false });
    expect(key("output", "snapshots")).toMatchObject({ kind: "integer", default: "10" });
    expect(rangeOf(sections.output.shape.snapshots)).toEqual({ least: 0, most: 100_000 });
    expect(key("time", "step")).toMatchObject({ kind: "number", values: ["adaptive"], required: true });
    expect(key("bars", "radius")?.meaning).toContain("when left out box.size / 4");
    expect(key("particles", "offset", "plummer")).toMatchObject({ kind: "list" });
    expect(key("particles", "kind", "plummer")?.values).toContain("hernquist");
  });
});

describe("a fork", () => {
  it("may be moved otherwise", () => {
    for (const override of [
      "time.step=0.005",
      "time.end=3",
      "mesh.assignment=cic",
      "gravity=direct",
      "particles.1.mass=30",
    ]) {
      expect(forkRefusals(scenario(), scenario([override]))).toEqual([]);
    }
  });

  it("can't have particles drawn anew, and says why", () => {
    const refused = forkRefusals(scenario(), scenario(["particles.thin.toomreQ=2", "box.size=50", "time.step=0.02"]));
    expect(refused).toHaveLength(2);
    expect(refused[0]).toBe(
      "box.size is 40, and the particles lie in this box: a fork can't have 50. Start the deck again with it",
    );
    expect(refused[1]).toMatch(/^particles\[0\]\.toomreQ is 1\.2, and the particles are drawn with it/);
    expect(isForkable("time", "step")).toBe(true);
    expect(isForkable("time", "clock")).toBe(false);
  });
});

describe("a fork of a direct sum", () => {
  const sum = `title = "a sum"
[box]
size = 20
[[particles]]
kind = "plummer"
count = 20
mass = 1
seed = 1
[[potential]]
kind = "point-mass"
mass = 1
softening = 1
[time]
end = 1
step = 0.1
`;
  const under = async (overrides: readonly string[]) => {
    const request = { text: sum, overrides: ["gravity=direct", ...overrides] };
    const simulation = await Simulation.create(parseScenario(sum, { overrides: request.overrides }), {
      backend: "cpu",
    });
    await simulation.advance({ until: 0.3 });
    const curves = { rows: [], bars: [{ time: 0, strength: 0.5 }] };
    return { simulation, request, curves };
  };

  it("goes on where potentials are steady, with its curves if it takes the run's place", async () => {
    const run = await under([]);
    const { time } = run.simulation;
    expect(time).toBeGreaterThan(0);
    expect((await forked(run, ["time.end=2"])).begun).toMatchObject({ time, curves: undefined });
    const { begun } = await forked(run, ["time.end=2"], true);
    expect(begun).toMatchObject({ time, curves: run.curves });
    run.simulation.destroy();
  });

  it("is refused where they move, by the simulation as well: a sum moves them from time 0 on", async () => {
    const run = await under(["potential.0.until=0.5"]);
    const { time } = run.simulation;
    const words = `begins at time 0, found particles of time ${time}`;
    await expect(forked(run, [])).rejects.toThrow(words);
    const { positions, velocities, masses, components, count } = await run.simulation.readParticles();
    const particles = { count, positions, velocities, masses, components };
    const scenario = run.simulation.scenario;
    await expect(Simulation.create(scenario, { backend: "cpu", particles, time })).rejects.toThrow(words);
    (await Simulation.create(scenario, { backend: "cpu", particles, time: 0 })).destroy();
    run.simulation.destroy();
  });
});

describe("what to switch on", () => {
  it("depends on the browser", () => {
    const linux =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
    expect(switchOn(linux, true)).toMatch(/chrome:\/\/flags/);
    const firefox = switchOn("Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", true);
    expect(firefox).toMatch(/about:config.*dom\.webgpu\.enabled.*gfx\.webgpu\.ignore-blocklist/);
    const safari = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15";
    expect(switchOn(safari, true)).toMatch(/^Safari/);
    expect(switchOn(linux, false)).toMatch(/localhost/);
  });
});
