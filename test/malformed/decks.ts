/**
 * Malformed decks, from the schema itself: every key of every table and kind with values of every sort, in a deck that uses
 * the key; then decks whose tables, keys or bytes are wrong. All decks are tiny: what is accepted runs in a moment.
 */
import type { z } from "zod";
import { levelTables } from "../../src/engine/mesh/levels/level-table.ts";
import { keyInfo } from "../../src/foundation/deck/keys.ts";
import { galaxyTables, orbitTable } from "../../src/physics/initial/galaxies.ts";
import { headerTable, kindSections, type Shape, sections } from "../../src/scenario/scenario.ts";
import type { Choice, MalformedCase } from "./case.ts";
import { NO_VALUES, WRONG_VALUES } from "./values.ts";

/** Keys with their values as they stand in a deck. */
type Table = Record<string, string>;

interface Deck {
  header: Table;
  tables: Record<string, Table>;
  arrays: Record<string, Table[]>;
}

/** Values for keys that have no default. */
const GIVEN: Table = {
  ...{ count: "40", mass: "1.0", scale: "0.5", scaleLength: "1.0", scaleHeight: "0.2", cutoff: "3.0" },
  ...{ perSide: "8", semiMajorAxis: "2.0", file: '"missing.hdf5"', title: '"T"' },
};

const SMALL = { snapshots: "1", diagnostics: "2" };
const PLUMMER = { kind: '"plummer"', count: "40", cutoff: "3.0" };

function meshDeck(): Deck {
  return {
    header: { title: '"T"' },
    tables: { box: { size: "8.0" }, mesh: { cells: "16" }, time: { end: "0.1", step: "0.05" }, output: { ...SMALL } },
    arrays: { particles: [{ ...PLUMMER }] },
  };
}

function changed(change: (deck: Deck) => void): Deck {
  const deck = meshDeck();
  change(deck);
  return deck;
}

const lattice = { kind: '"lattice"', perSide: "8" };

const BASES = {
  mesh: meshDeck,
  multigrid: () => changed(({ tables }) => Object.assign(tables.mesh, { poisson: '"multigrid"' })),
  direct: () => changed(({ header }) => Object.assign(header, { gravity: '"direct"' })),
  adaptive: () => changed(({ tables }) => Object.assign(tables.time, { step: '"adaptive"' })),
  periodic: () =>
    changed(({ tables, arrays }) => {
      Object.assign(tables.box, { boundary: '"periodic"' });
      Object.assign(tables.output, { haloes: "true", powerSpectra: "true", leastMembers: "2" });
      arrays.particles = [{ kind: '"uniform"', count: "512", mass: "1.0" }];
    }),
  galaxies: () =>
    changed(({ tables, arrays }) => {
      const clump = (galaxy: string) => ({ ...PLUMMER, scale: "0.2", cutoff: "0.5", galaxy: `"${galaxy}"` });
      arrays.galaxy = [
        { name: '"one"' },
        { name: '"two"', "orbit.of": '"one"', "orbit.pericentre": "0.5", "orbit.separation": "2.0" },
      ];
      arrays.particles = [clump("one"), clump("two")];
      tables.maps = { count: "1", width: "8", height: "8", centre: '"two"', components: '["two"]' };
    }),
  bars: () =>
    changed(({ tables }) => {
      tables.bars = { count: "2", rings: "5", pixels: "8", multipoles: "true", velocityMaps: '["y"]' };
    }),
  orbits: () =>
    changed(({ tables }) => {
      tables.orbits = { sample: "3" };
    }),
  subsample: () =>
    changed(({ tables }) => {
      tables.subsample = { every: "1", count: "5" };
    }),
  mond: () =>
    changed(({ tables }) => {
      tables.mond = { formulation: '"qumond"', a0: "1.0" };
    }),
  p3m: () =>
    changed(({ header, tables }) => {
      Object.assign(header, { gravity: '"p3m"' });
      Object.assign(tables.mesh, { cells: "24" });
      tables.p3m = { softening: "0.05" };
    }),
  levels: () =>
    changed(({ arrays }) => {
      arrays.level = [{ offset: "[0.5, 0.0, 0.0]", cells: "16" }];
    }),
  comoving: () =>
    changed((deck) => {
      deck.tables.units = { system: '"cosmological"' };
      deck.tables.box = { size: "100.0", boundary: '"periodic"' };
      deck.tables.time = { clock: '"comoving"', start: "0.5", end: "0.6", step: "0.05" };
      deck.tables.cosmology = { h: "0.7" };
      deck.arrays.particles = [{ ...lattice }];
    }),
};
type Base = keyof typeof BASES;

/** The decks in which a section's keys are used. */
const USED_IN: Record<string, readonly Base[]> = {
  header: ["mesh", "direct"],
  units: ["mesh"],
  box: ["mesh", "periodic", "comoving", "direct"],
  mesh: ["mesh", "periodic", "multigrid"],
  multigrid: ["multigrid"],
  mond: ["mond"],
  direct: ["direct"],
  cosmology: ["comoving"],
  time: ["mesh", "adaptive", "comoving", "direct"],
  output: ["mesh", "periodic", "comoving"],
  maps: ["mesh", "galaxies"],
  subsample: ["mesh", "subsample"],
  bars: ["mesh", "bars"],
  orbits: ["mesh", "orbits"],
  p3m: ["p3m"],
  spectra: ["mesh", "periodic", "comoving"],
  fields: ["mesh", "comoving"],
  lightcone: ["comoving"],
};

/** A place in a deck. */
interface Place {
  name: string;
  shape: Shape;
  base: () => Deck;
  /** The table in the deck that `base` makes. */
  table(deck: Deck): Table;
}

function sectionPlaces(): Place[] {
  const all = { header: headerTable, ...sections };
  return Object.entries(all).flatMap(([name, { shape }]) =>
    (USED_IN[name] ?? ["mesh"]).map((base) => ({
      name: name === "header" ? "" : `${name}.`,
      shape,
      base: BASES[base],
      table: (deck: Deck) => {
        if (name === "header") return deck.header;
        deck.tables[name] ??= {};
        return deck.tables[name];
      },
    })),
  );
}

/** Tables of every kind, with what they have to be given. */
function kindPlaces(): Place[] {
  return kindSections.flatMap((section) =>
    section.kinds.names.map((kind) => {
      const { shape }: { shape: Shape } = section.kinds.get(kind).schema;
      const needed = Object.entries(shape).filter(([key, schema]) => key in GIVEN && !hasDefault(schema, kind));
      const table: Table = { kind: `"${kind}"`, ...Object.fromEntries(needed.map(([key]) => [key, GIVEN[key]])) };
      const isComoving = ["lattice", "plane-wave"].includes(kind);
      const base = () => {
        const deck = (isComoving ? BASES.comoving : BASES.mesh)();
        if (section.name === "particles") deck.arrays.particles = [{ ...table }];
        else deck.arrays[section.name] = [{ ...table }];
        return deck;
      };
      return { name: `${section.name}.${kind}.`, shape, base, table: (deck: Deck) => deck.arrays[section.name][0] };
    }),
  );
}

/** Keys of a galaxy that stands, of one on an orbit, and of that orbit. */
function galaxyPlaces(): Place[] {
  const { shape }: { shape: Shape } = galaxyTables.schema;
  const place = (index: number, name: string, keys: Shape): Place => ({
    ...{ name: `galaxy.${name}.`, shape: keys, base: BASES.galaxies, table: (deck) => deck.arrays.galaxy[index] },
  });
  const orbit = Object.fromEntries(Object.entries<z.ZodType>(orbitTable.shape).map(([k, of]) => [`orbit.${k}`, of]));
  return [place(0, "one", shape), place(1, "two", shape), place(1, "two", orbit)];
}

/** Keys of a level that stays at its place. */
function levelPlaces(): Place[] {
  const { shape }: { shape: Shape } = levelTables.schema;
  return [{ name: "level[0].", shape, base: BASES.levels, table: (deck) => deck.arrays.level[0] }];
}

const allPlaces = () => [...sectionPlaces(), ...kindPlaces(), ...galaxyPlaces(), ...levelPlaces()];

function hasDefault(schema: z.ZodType, kind: string): boolean {
  const info = keyInfo(schema);
  // Hénon units give a Plummer sphere its mass and scale; a cut-off and a lattice's mass follow from the rest.
  if (info?.derived) return !info.derived.text.startsWith("required") || kind === "plummer";
  return schema.safeParse(undefined).success;
}

export function deckText({ header, tables, arrays }: Deck): string {
  const lines = (table: Table) => Object.entries(table).map(([key, value]) => `${key} = ${value}\n`);
  return [
    ...lines(header),
    ...Object.entries(tables).flatMap(([name, table]) => [`[${name}]\n`, ...lines(table)]),
    ...Object.entries(arrays).flatMap(([name, list]) => list.flatMap((table) => [`[[${name}]]\n`, ...lines(table)])),
  ].join("");
}

const RUN = ["run", "./deck.toml", "--backend", "cpu", "--out", "out", "--quiet"];

function deckCase(kind: string, title: string, deck: string | Uint8Array, ...args: string[]): MalformedCase {
  const file = typeof deck === "string" ? { text: deck } : { base64: Buffer.from(deck).toString("base64") };
  return { kind, title, setup: [{ write: "deck.toml", ...file }], args: [...RUN, ...args] };
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text);

/** Every key with every value, as a deck's line or as an override. */
export function keyCases(choice: Choice): (() => MalformedCase)[] {
  return allPlaces().flatMap(({ name, shape, base, table }) =>
    Object.keys(shape).flatMap((key) =>
      WRONG_VALUES.map((value) => () => {
        const deck = base();
        const title = `${name}${key} = ${short(value)}`;
        const isFirst = name.startsWith("particles.") || name.startsWith("potential.");
        const path = isFirst ? `${name.split(".")[0]}[0].${key}` : `${name}${key}`;
        // A shell hands over about 128 KiB an argument, and no NUL.
        if (choice.uniform() < 0.25 && value.length < 30_000 && !value.includes("\u0000")) {
          return deckCase("override", title, deckText(deck), `${path}=${value}`);
        }
        table(deck)[key] = value;
        return deckCase("deck key", title, deckText(deck));
      }),
    ),
  );
}

/** Two keys at once. */
export function pairCases(choice: Choice, count: number): (() => MalformedCase)[] {
  const numbers = WRONG_VALUES.filter((value) => Number.isFinite(Number(value)) && Number(value) > 0);
  const numeric = ({ shape }: Place) =>
    Object.keys(shape).filter((key) => [1e-3, 1, 20].some((value) => shape[key].safeParse(value).success));
  const places = allPlaces().filter((place) => numeric(place).length > 1);
  return Array.from({ length: count }, () => () => {
    const place = choice.of(places);
    const { name, base, table } = place;
    const deck = base();
    const keys = choice.shuffled(numeric(place)).slice(0, 2);
    const set = keys.map((key) => {
      table(deck)[key] = choice.of(numbers);
      return `${key} = ${table(deck)[key]}`;
    });
    return deckCase("deck pair", `${name}{ ${set.join(", ")} }`, deckText(deck));
  });
}

/** One particle, or several at one place, with either gravity and what looks at them. */
export function placeCases(choice: Choice): (() => MalformedCase)[] {
  const places = ["4,4,4", "4.5,3,4.25", "0,0,0", "8,8,8", "4,4,4.0000000001", "12,4,4"];
  return (["mesh", "multigrid", "direct", "adaptive", "bars", "subsample"] as const).flatMap((base) =>
    places.map((place) => () => {
      const count = choice.of([1, 2, 5]);
      const deck = BASES[base]();
      deck.arrays.particles = [{ kind: '"snapshot"', file: '"places.csv"' }];
      const made = deckCase("places", `${count} at ${place}, ${base}`, deckText(deck));
      const rows = Array.from({ length: count }, () => `1,${place},0,0,0\n`);
      return { ...made, setup: [...made.setup, { write: "places.csv", text: `m,x,y,z,vx,vy,vz\n${rows.join("")}` }] };
    }),
  );
}

/** What P³M may be asked for: sense and nonsense, one or two of them on a good deck of each kind. */
const ASKED: Record<string, readonly string[]> = {
  "p3m.softening": ["0.08", "1e-3", "1e-6", "1e-30", "0.5", "0", "nan"],
  "p3m.softeningKernel": ['"spline"', '"spline"', '"gauss"'],
  "p3m.reach": ["4", "5.5", "6", "0"],
  "p3m.substeps": ["2", "4", "7", "32", "33", "1.5"],
  "p3m.maxPhysicalSoftening": ["0.01", "inf", "1e-30", "0"],
  "mesh.cells": ["32", "48", "16"],
  "mesh.assignment": ['"cic"', '"ngp"'],
  "mesh.gradient": ['"2-point"', '"spectral"'],
  "mesh.poisson": ['"multigrid"'],
  "box.size": ["1e-12", "1e12", "7.0"],
  "box.boundary": ['"periodic"', '"isolated"'],
  "time.step": ['"adaptive"', "0.1", "1e-3", "1e-30"],
  "time.accuracy": ["1e-9", "1", "1e9"],
  "time.courant": ["1e-9", "1e9"],
  "time.end": ["1e-9", "1e9"],
};

/** Decks with P³M: bound, expanding, of tracers, with an external potential, or of bodies at one place. */
export function p3mCases(choice: Choice, count: number): (() => MalformedCase)[] {
  const bases: Record<string, (deck: Deck) => void> = {
    sphere: () => {},
    box: ({ tables, arrays }) => {
      Object.assign(tables.box, { boundary: '"periodic"' });
      arrays.particles = [{ kind: '"uniform"', count: "64", mass: "1.0" }];
    },
    tracers: ({ arrays }) => {
      Object.assign(arrays.particles[0], { mass: "0.0", scale: "0.5" });
      arrays.potential = [{ kind: '"plummer"', mass: "1.0", scale: "0.5" }];
    },
    places: ({ arrays }) => {
      arrays.particles = [{ kind: '"snapshot"', file: '"places.csv"' }];
    },
  };
  return Array.from({ length: count }, () => () => {
    const kind = choice.of(["expanding", ...Object.keys(bases)]);
    const deck = (kind === "expanding" ? BASES.comoving : BASES.p3m)();
    Object.assign(deck.header, { gravity: '"p3m"' });
    deck.tables.mesh = { cells: "24" };
    bases[kind]?.(deck);
    const set = choice.shuffled(Object.keys(ASKED)).slice(0, 1 + choice.below(2));
    const values = set.map((path) => choice.of(ASKED[path]));
    for (const [k, path] of set.entries()) {
      const [table, key] = path.split(".");
      deck.tables[table] = { ...deck.tables[table], [key]: values[k] };
    }
    const title = `${kind}: ${set.map((path, k) => `${path} = ${values[k]}`).join(", ")}`;
    const made = deckCase("P³M", title, deckText(deck));
    const rows = Array.from({ length: 3 }, () => "1,4,4,4,0,0,0\n").join("");
    return {
      ...made,
      setup: [...made.setup, { write: "places.csv", text: `m,x,y,z,vx,vy,vz\n${rows}1,5,4,4,0,0,0\n` }],
    };
  });
}

/** Decks that are wrong as a whole. */
export function structureCases(choice: Choice): (() => MalformedCase)[] {
  const good = deckText(meshDeck());
  const bytes = Buffer.from(good);
  const named = (title: string, deck: string | Uint8Array) => () => deckCase("deck text", title, deck);
  const replaced = (from: string, to: string) => named(`${short(from)} → ${short(to)}`, good.replace(from, to));
  const component = '[[particles]]\nkind = "plummer"\ncount = 5\ncutoff = 3.0\n';
  const names = ["box", "mesh", "time", "output"];
  return [
    ...names.flatMap((name) => [
      replaced(`[${name}]`, `[[${name}]]`),
      replaced(`[${name}]`, `[${name}.${name}]`),
      replaced(`[${name}]`, `[${name}s]`),
      replaced(`[${name}]`, ""),
      named(`[${name}] twice`, `${good}\n[${name}]\n`),
      named(`${name} = 1`, `${name} = 1\n${good.replace(`[${name}]`, "[units]")}`),
    ]),
    replaced("[[particles]]", "[particles]"),
    replaced("[[particles]]", "[[particle]]"),
    replaced("[[particles]]", "[[particles.x]]"),
    named("particles = []", `particles = []\n${good.split("[[particles]]")[0]}`),
    named("particles of texts", `particles = ["a", 1]\n${good.split("[[particles]]")[0]}`),
    named("a kind that is none", good.replace('kind = "plummer"', 'kind = "nothing"')),
    named("a kind that is a list", good.replace('kind = "plummer"', 'kind = ["plummer"]')),
    named("no kind", good.replace('kind = "plummer"\n', "")),
    named("two components of one name", good + component.replace("count", 'name = "plummer"\ncount')),
    ...[1001, 10_000].map((n) => named(`${n} components`, good + component.repeat(n))),
    named("a key of 100000 parts", `${"a.".repeat(1e5)}b = 1\n${good}`),
    named("a table of 100000 parts", `${good}[${"a.".repeat(1e5)}b]\n`),
    named("100000 keys", `${Array.from({ length: 1e5 }, (_, i) => `k${i} = 1\n`).join("")}${good}`),
    named("brackets 100000 deep", `x = ${"[".repeat(1e5)}${"]".repeat(1e5)}\n${good}`),
    named("inline tables 10000 deep", `x = ${"{a=".repeat(1e4)}1${"}".repeat(1e4)}\n${good}`),
    named("an array of 4 MB", `x = [${"1,".repeat(2e6)}]\n${good}`),
    named("a text of 4 MB", `x = "${"a".repeat(4e6)}"\n${good}`),
    named("a text of quotes", `x = "${'\\"'.repeat(1e6)}"\n${good}`),
    named("an array of 50 MB", `x = [${"1,".repeat(25e6)}]\n${good}`),
    ...['"" = 1', '"\\u001b[2J" = 1', "__proto__ = 1", "constructor = 1", "[__proto__]\nx = 1", '"a b".c = 1'].map(
      (line) => named(short(line), `${line}\n${good}`),
    ),
    named("a key twice", good.replace("cells = 16", "cells = 16\ncells = 32")),
    named("mesh.cells.x", good.replace("cells = 16", "cells.x = 16")),
    named("empty", ""),
    named("a comment alone", "# nothing\n"),
    named("line ends alone", "\n".repeat(1e5)),
    named("a byte order mark", `\ufeff${good}`),
    named("CR LF", good.replaceAll("\n", "\r\n")),
    named("CR alone", good.replaceAll("\n", "\r")),
    named("UTF-16", Buffer.from(`\ufeff${good}`, "utf16le")),
    named("Latin-1", Buffer.from(good.replace('"T"', '"Hénon"'), "latin1")),
    named("zeros", new Uint8Array(4096)),
    named("JSON", '{"title": "T", "mesh": {"cells": 16}}'),
    named("YAML", "title: T\nmesh:\n  cells: 16\n"),
    ...NO_VALUES.map((value) => named(`cells = ${short(value)}`, good.replace("cells = 16", `cells = ${value}`))),
    ...NO_VALUES.map((value) => named(`${short(value)} as a line`, good.replace("[mesh]", `${value}\n[mesh]`))),
    ...Array.from({ length: 40 }, () => () => {
      const keep = choice.below(bytes.length);
      return deckCase("deck text", `cut after ${keep} bytes`, bytes.subarray(0, keep));
    }),
    ...Array.from({ length: 60 }, () => () => {
      const at = choice.below(bytes.length);
      const value = choice.below(256);
      const copy = Uint8Array.from(bytes);
      copy[at] = value;
      return deckCase("deck text", `byte ${at} is ${value}`, copy);
    }),
    ...Array.from({ length: 20 }, () => () => {
      const noise = Uint8Array.from({ length: 1 + choice.below(2000) }, () => choice.below(256));
      return deckCase("deck text", `${noise.length} bytes of noise`, noise);
    }),
  ];
}

/** key=value that is none, or whose key isn't. */
export function overrideCases(): (() => MalformedCase)[] {
  const keys = [
    ...[
      "",
      "=",
      "a",
      "a=",
      "=1",
      "mesh",
      "mesh=1",
      "mesh={}",
      "mesh=[]",
      "mesh.=1",
      ".mesh=1",
      "mesh..cells=16",
      "mesh.cells.x=1",
    ],
    ...[
      "mesh.cells==16",
      "mesh.cells=",
      "mesh.cells",
      "mesh cells=16",
      "MESH.CELLS=16",
      "mesh/cells=16",
      "mesh:cells=16",
    ],
    ...[
      "particles=1",
      "particles=[]",
      "particles={}",
      "particles[0]=1",
      "particles[0]={}",
      "particles[0].kind=nothing",
    ],
    ...[
      "particles[-1].count=1",
      "particles[1].count=1",
      "particles[1e9].count=1",
      "particles[].count=1",
      "particles[0.count=1",
    ],
    ...[
      "particles[0][0].count=1",
      "particles.0.0=1",
      'particles."x.count=1',
      "particles.'x.count=1",
      'particles."".count=1',
    ],
    ...[
      'particles."plummer".count=1',
      "particles.plummer.name=\u001b[2J",
      "particles.nothing.count=1",
      "potential[0].kind=plummer",
    ],
    ...[
      "potential=[]",
      "__proto__.x=1",
      "__proto__=1",
      "constructor.prototype.x=1",
      "mesh.__proto__.cells=1",
      "toString=1",
    ],
    ...[
      "title=\u001b]0;owned\u0007",
      "title=",
      "title=   ",
      "title='a",
      `title=${"x".repeat(100_000)}`,
      `${"a.".repeat(50_000)}a=1`,
    ],
    ...[
      `mesh.cells=${"1".repeat(50_000)}`,
      `mesh.cells=[${"1,".repeat(50_000)}]`,
      `mesh.cells=${"[".repeat(50_000)}`,
      "🌌=🌌",
    ],
    ...[
      "mesh.cells=16\nmesh.cells=32",
      "mesh.cells=16 # a",
      "time.step=1e-320",
      "time.end=1e308",
      "time.step=adaptive",
    ],
    ...[
      "box={size=8}",
      "box={sise=8}",
      "box={}",
      "box={size={a=1}}",
      "box={__proto__={a=1}}",
      "particles[0]={count=5}",
      "output.redshifts=[1]",
      "units.system=si",
      "gravity=none",
      "reference=\u009b",
      "expect=1\n2",
    ],
  ];
  const deck = deckText(meshDeck());
  return keys.map((key) => () => deckCase("override", short(key), deck, "--", key));
}

/** A good deck, for cases about other things. */
export const goodDeck = () => deckText(meshDeck());
