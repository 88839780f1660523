/** Files of other codes' formats, written by their own programs or from their descriptions, and what is read of them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { openFormat } from "../../src/run/io/formats.node.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import type { ReadOptions } from "../../src/run/io/snapshot-particles.ts";
import { fileLoaders } from "../../src/run/scenario-source.ts";
import { deckText } from "../../src/scenario/deck.ts";
import { parseScenario } from "../../src/scenario/parse.ts";

const MAKER = fileURLToPath(new URL("../support/foreign-formats.py", import.meta.url));
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/formats/${name}`, import.meta.url));
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-formats-"));
  execFileSync("/usr/bin/python3", [MAKER, dir]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);
const A = 0.25;
const IDS = [3, 0, 5, 2, 7, 4, 1, 6];
/** First and count of each type in the files. */
const GADGET = { gas: [0, 2], halo: [2, 3], disk: [5, 2], stars: [7, 1] };
const TIPSY = { gas: [0, 2], halo: [2, 3], stars: [5, 3] };

/** What the script wrote, in the order of the ids within each type, or (without) of the file. */
function expected(types: Record<string, number[]>, sorted: boolean) {
  const order = Object.values(types).flatMap(([first, count]) => {
    const rows = Array.from({ length: count }, (_, i) => first + i);
    return sorted ? rows.sort((a, b) => IDS[a] - IDS[b]) : rows;
  });
  const vectors = (value: (k: number) => number) => order.flatMap((i) => [0, 1, 2].map((k) => value(3 * i + k)));
  return {
    positions: vectors((k) => k / 8),
    velocities: vectors((k) => -k / 16),
    masses: order.map((i) => (4 + i) / 4),
    species: Object.entries(types).map(([name, [, count]]) => `${name} ${count}`),
  };
}

async function found(name: string, options: ReadOptions = {}) {
  const { positions, velocities, masses, components } = await readSnapshot(at(name), options);
  return {
    positions: [...positions],
    // −0 and 0 are the same velocity.
    velocities: Array.from(velocities, (v) => v || 0),
    masses: [...masses],
    species: components.map(({ species, count }) => `${species} ${count}`),
  };
}

const normal = ({ velocities, ...rest }: ReturnType<typeof expected>, factor = 1) => ({
  ...rest,
  velocities: velocities.map((v) => v * factor || 0),
});

const COLUMNS = ["x", "y", "z", "vx", "vy", "vz", "mass"];
const ONE_TYPE = { stars: [0, 8] };

describe("a file made from the description of its format", () => {
  it.each([
    ...["gadget1-little", "gadget1-big", "gadget2-little", "gadget2-big", "gadget2-gas", "gadget1-double"],
    ...["gadget4-header", "parts", "parts.1", "semicolons.csv", "records.npy", "stored.npz"],
  ])("%s is read, types in turn and in the order of their ids", async (name) => {
    expect(await found(name)).toEqual(normal(expected(GADGET, true)));
  });

  it.each(["standard.tipsy", "native.tipsy", "unpadded.tipsy"])("%s is read in the order of the file", async (name) => {
    expect(await found(name)).toEqual(normal(expected(TIPSY, false)));
  });

  it.each([
    ["big.nemo", {}, ONE_TYPE],
    ["split.nemo", {}, { gas: [0, 2], stars: [2, 6] }],
    ["series.nemo", { frame: 1 }, ONE_TYPE],
    ["savetxt.txt", {}, ONE_TYPE],
    ["bare.txt", { columns: COLUMNS }, ONE_TYPE],
    ["array.npy", { columns: COLUMNS }, ONE_TYPE],
    ["fortran.npy", { columns: COLUMNS }, ONE_TYPE],
  ] as const)("%s with %j is read", async (name, as, types) => {
    expect(await found(name, { as })).toEqual(normal(expected(types as Record<string, number[]>, false)));
  });

  it("masses in GADGET's header, and one number in an archive, are those of all particles of a type", async () => {
    const { masses } = await found("gadget1-table");
    expect(masses).toEqual([1.25, 1, 3, 3, 3, 0.125, 0.125, 2.75]);
    expect((await found("deflated.npz")).masses).toEqual(Array(8).fill(1.5));
    expect(await found("deflated.npz")).toMatchObject({ positions: expected(ONE_TYPE, false).positions });
  });

  it("has its time and box", async () => {
    for (const name of ["gadget1-big", "gadget2-little", "gadget4-header", "stored.npz"])
      expect(await readSnapshot(at(name)), name).toMatchObject({ time: 0.5, boxSize: 10 });
    for (const name of ["standard.tipsy", "split.nemo"])
      expect(await readSnapshot(at(name)), name).toMatchObject({ time: 0.5, boxSize: 0 });
    expect(await readSnapshot(at("series.nemo"), { as: { frame: 1 } })).toMatchObject({ time: 0.25 });
  });

  it("is read in blocks of any size to the same numbers", async () => {
    for (const name of ["gadget2-big", "native.tipsy", "split.nemo", "semicolons.csv", "records.npy", "stored.npz"])
      expect(await readSnapshot(at(name), { block: 3 }), name).toEqual(await readSnapshot(at(name)));
  });
});

describe("a file that another program wrote", () => {
  it("NEMO's mkplummer", async () => {
    const set = await readSnapshot(fixture("mkplummer.nemo"));
    expect(set).toMatchObject({ count: 8, time: 0.5 });
    expect([...set.positions.slice(0, 3)]).toEqual([
      3.8834939884332606e-2, -1.6392768463807234e-1, -2.8123958331809362e-1,
    ]);
    expect([...set.velocities.slice(-3)]).toEqual([
      2.7399436617385414e-1, -1.2276385502597853e-1, -3.3691724535188688e-1,
    ]);
    expect(new Set(set.masses)).toEqual(new Set([0.125]));
  });

  it("yt, both of GADGET's binary formats", async () => {
    const [big, little] = [
      await readSnapshot(fixture("yt-gadget1-big")),
      await readSnapshot(fixture("yt-gadget2-little")),
    ];
    expect(big.components.map(({ species, count }) => `${species} ${count}`)).toEqual(expected(GADGET, true).species);
    expect([...big.positions.slice(0, 3)]).toEqual([0.22199317812919617, 0.870732307434082, 0.20671916007995605]);
    expect([...big.velocities.slice(6, 9)]).toEqual([0.024306561797857285, 0.20455554127693176, 0.6998435854911804]);
    expect([...big.masses.slice(5)]).toEqual([0.8119024038314819, 0.9266825914382935, 0.9126267433166504]);
    expect([...little.positions.slice(-3)]).toEqual([0.11111074686050415, 0.4783390462398529, 0.8499800562858582]);
    expect([...little.masses.slice(0, 2)]).toEqual([0.23964044451713562, 0.2214827537536621]);
  });
});

describe("velocities of an expanding box", () => {
  const comoving = { units: "cosmological", comoving: true } as const;
  /** Of p = a² dx/dt in the state, over the file's. */
  const factorOf = async (name: string, as: ReadOptions["as"] = {}) => {
    const { velocities } = await readSnapshot(at(name), { ...comoving, scaleFactor: A, h: 0.7, as });
    const plain = (await openFormat(at(name), "start")).parts[0].types[0].coordinates.rows;
    expect(plain).toBe(2);
    // Id 0, the first: particle 1 of the files.
    return velocities[0] / (-3 / 16);
  };

  it.each([
    ["gadget1-comoving", A ** 1.5],
    ["gadget2.hdf5", A ** 1.5],
    ["arepo.hdf5", A ** 1.5],
    ["scaled.hdf5", A ** 2],
    ["mp-gadget.hdf5", A],
    ["swift.hdf5", A],
  ])("are what %s says of them", async (name, factor) => {
    expect(await factorOf(name)).toBe(factor);
  });

  it.each(["gadget1-untold", "mp-gadget-old.hdf5", "standard.tipsy"])("of %s are asked for", async (name) => {
    const units = name.endsWith("tipsy") ? { units: "deck" as const } : {};
    const refused = factorOf(name, units);
    await expect(refused).rejects.toMatchObject({
      kind: "input",
      message: expect.stringContaining('Say it beside file: velocities = "gadget" (√a dx/dt), "peculiar"'),
    });
    const scale = name.endsWith("tipsy") ? 0.5 : A;
    for (const [velocities, power] of [
      ["gadget", 1.5],
      ["peculiar", 1],
      ["comoving", 2],
      ["canonical", 0],
    ] as const) {
      const all = await readSnapshot(at(name), { ...comoving, as: { velocities, units: "deck" } });
      const first = name.endsWith("tipsy") ? all.velocities[3] : all.velocities[0];
      expect(first / (-3 / 16)).toBeCloseTo(scale ** power, 7);
    }
  });

  it("of SWIFT have lengths and masses without h, which the deck counts over h", async () => {
    const set = await readSnapshot(at("swift.hdf5"), comoving);
    expect(set).toMatchObject({ comoving: true, time: A, cosmology: { omegaM: 0.3, darkEnergy: 0.7, h: 0.7 } });
    expect(set.boxSize).toBeCloseTo(7, 8);
    expect(set.positions[0]).toBeCloseTo((0.7 * 3) / 8, 8);
    expect(set.masses[0]).toBeCloseTo(0.7 * 1.25, 8);
  });
});

describe("units", () => {
  const galactic = { units: "galactic" } as const;
  const units = (length: string, mass: string, velocity: string) => ({
    ...galactic,
    as: { units: { length, mass, velocity } },
  });

  it.each(["standard.tipsy", "big.nemo", "semicolons.csv", "records.npy", "stored.npz"])(
    "of %s are asked for where the deck has some",
    async (name) => {
      await expect(readSnapshot(at(name), galactic)).rejects.toMatchObject({
        kind: "input",
        message: expect.stringMatching(
          /nothing in the file says what units.*units = \{ length = "kpc", mass = "1e10 Msun"/,
        ),
      });
      expect(await found(name, { ...galactic, as: { units: "deck" } })).toEqual(await found(name));
    },
  );

  it("that the deck names are those of the numbers", async () => {
    const plain = await found("big.nemo");
    expect(await found("big.nemo", units("kpc", "1e10 Msun", "km/s"))).toEqual(plain);
    const other = await found("big.nemo", units("2 Mpc", "2e9 Msun", "m/s"));
    expect(other.positions[5] / plain.positions[5]).toBeCloseTo(2000, 9);
    expect(other.masses[3] / plain.masses[3]).toBeCloseTo(0.2, 14);
    expect(other.velocities[7] / plain.velocities[7]).toBeCloseTo(1e-3, 9);
    // G · 10¹⁰ Msun / kpc = (207.38 km/s)².
    const natural = await found("big.nemo", units("kpc", "1e10 Msun", "G = 1"));
    expect(natural.velocities[7] / plain.velocities[7]).toBeCloseTo(Math.sqrt(43009.1727), 4);
  });

  it("over h are turned into those that aren't, and the other way round", async () => {
    const as = { units: { length: "Mpc", mass: "1e10 Msun", velocity: "km/s" }, velocities: "peculiar" } as const;
    const deck = { units: "cosmological", comoving: true, scaleFactor: 1, h: 0.7 } as const;
    const set = await readSnapshot(at("big.nemo"), { ...deck, as });
    expect(set.positions[5]).toBeCloseTo((0.7 * 5) / 8, 13);
    expect(set.masses[3]).toBeCloseTo(0.7 * 1.75, 13);
    const perH = { ...as, units: { length: "kpc/h", mass: "Msun/h", velocity: "km/s" } };
    expect((await readSnapshot(at("big.nemo"), { ...deck, as: perH })).positions[5]).toBeCloseTo(5 / 8000, 13);
  });

  it("mean nothing to a deck without units", async () => {
    await expect(readSnapshot(at("big.nemo"), { ...units("kpc", "Msun", "km/s"), units: "nbody" })).rejects.toThrow(
      /the deck names units of the file, but is in n-body units itself/,
    );
  });
});

describe("a deck", () => {
  const deck = (keys: string) =>
    `title = "T"\nunits.system = "galactic"\n[box]\nsize = 16\n[mesh]\ncells = 16\n[time]\nend = 1\nstep = 0.1\n[[particles]]\nkind = "snapshot"\nfile = "s"\n${keys}\n`;
  const refused = (keys: string, message: RegExp) => expect(() => parseScenario(deck(keys))).toThrow(message);

  it("says what its files are, and a copy of it the same", () => {
    const keys =
      'units = { length = "2 kpc", mass = "1e9 Msun/h", velocity = "G = 1" }\nvelocities = "peculiar"\nframe = 3';
    const [component] = parseScenario(deck(keys)).particles;
    expect(component).toMatchObject({
      units: { length: "2 kpc", mass: "1e9 Msun/h", velocity: "G = 1" },
      ...{ format: "auto", velocities: "peculiar", columns: [], frame: 3 },
    });
    expect(parseScenario(deckText(parseScenario(deck(keys)))).particles).toEqual([component]);
  });

  it("is told which unit is none", () => {
    refused(
      'units = { length = "furlong", mass = "Msun", velocity = "km/s" }',
      /length = "furlong" is no unit; there are cm, m/,
    );
    refused(
      'units = { length = "kpc", mass = "-1 Msun", velocity = "km/s" }',
      /mass = "-1 Msun" is no unit; there are g, kg, Msun/,
    );
    refused('units = { length = "kpc", mass = "Msun" }', /velocity is missing; there are cm\/s.*or "G = 1"/);
    refused('units = "kpc"', /units: expected "file", "deck", or units by name/);
    refused('format = "gadget"', /expected one of "auto", "gadget-hdf5"/);
  });

  it("hands what it says to whoever reads the file", async () => {
    const scenario = parseScenario(deck('units = { length = "Mpc", mass = "1e10 Msun", velocity = "km/s" }'));
    Object.assign(scenario.particles[0], { file: at("split.nemo") });
    const { positions } = (await initialConditions(scenario, { G: 43009, ...fileLoaders(scenario) })).particles;
    expect(positions[5] / (5 / 8)).toBeCloseTo(1000, 9);
  });
});
