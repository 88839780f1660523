/**
 * A scenario: everything that defines a run, in deck units, with all defaults filled in. Its schema is put together
 * from the tables of their owners; nothing but what they list is accepted, and nothing else in the code reads a deck.
 */
import { z } from "zod";
import { directTable } from "../engine/direct/settings.ts";
import { type DeckLevel, type LevelTable, levelTables } from "../engine/mesh/levels/level-table.ts";
import { multigridTable } from "../engine/mesh/multigrid/multigrid-settings.ts";
import { meshTable } from "../engine/mesh/settings.ts";
import { p3mTable } from "../engine/p3m/settings.ts";
import { timeTable } from "../engine/time/settings.ts";
import {
  choice,
  filledText,
  isTable,
  keyInfo,
  names,
  optional,
  type RawTable,
  required,
  text,
} from "../foundation/deck/keys.ts";
import { type ArrayTables, type KindTables, schemaOf, tablesOf } from "../foundation/deck/kinds.ts";
import { UNIT_SYSTEM_NAMES } from "../foundation/deck/units.ts";
import { cosmologyTable } from "../physics/cosmology/settings.ts";
import { particleTables } from "../physics/initial/components.ts";
import { type DeckGalaxy, type GalaxySettings, galaxyTables } from "../physics/initial/galaxies.ts";
import type { DeckComponent, ParticleComponent } from "../physics/initial/models.ts";
import { mondTable } from "../physics/mond/settings.ts";
import { boxTable } from "../physics/particles/box.ts";
import type { DeckPotential, PotentialDeckTable } from "../physics/potentials/potentials.ts";
import { type PotentialSettings, potentialTables } from "../physics/potentials/settings.ts";
import { barsTable } from "./bars.ts";
import { haloesTable } from "./haloes.ts";
import { mapsTable } from "./maps.ts";
import { orbitsTable } from "./orbits.ts";
import { outputTable } from "./output.ts";
import { subsampleTable } from "./subsample.ts";

export const unitsTable = z
  .strictObject({
    system: optional(choice(...UNIT_SYSTEM_NAMES), "nbody", {
      meaning: "units of every number in the deck, and with them G",
    }),
  })
  .describe("What the numbers mean");

export const headerTable = z.strictObject({
  title: required(filledText, { later: true, meaning: "what is simulated" }),
  reference: optional(text, "", { later: true, meaning: "paper and section that the run follows" }),
  expect: optional(text, "", { later: true, meaning: "what the reader should see happen" }),
  changed: optional(names, [], {
    later: true,
    meaning:
      'keys that overrides gave other values, so that "expect" is of another run, written by gravmesh; an override of "expect" empties it',
  }),
  gravity: optional(choice("mesh", "p3m", "direct"), "mesh", {
    meaning: "the particle mesh, with pairs that are near (table p3m), or the sum over all pairs (table direct)",
  }),
});

export const sections = {
  units: unitsTable,
  box: boxTable,
  mesh: meshTable,
  multigrid: multigridTable,
  mond: mondTable,
  direct: directTable,
  p3m: p3mTable,
  cosmology: cosmologyTable,
  time: timeTable,
  output: outputTable,
  maps: mapsTable,
  subsample: subsampleTable,
  bars: barsTable,
  haloes: haloesTable,
  orbits: orbitsTable,
};
export type DeckSection = keyof typeof sections;

/** The arrays of tables of a deck whose keys depend on a kind. */
export const kindSections: readonly KindTables[] = [particleTables, potentialTables];
export const arraySections: readonly ArrayTables[] = [levelTables, galaxyTables, ...kindSections];

/** All of them in the order of a deck. */
export const deckOrder = [
  ...(["units", "box", "mesh", "multigrid", "mond", "direct", "p3m", "cosmology"] as const),
  ...arraySections,
  ...(["time", "output", "maps", "subsample", "bars", "haloes", "orbits"] as const),
];

type Tables = { [S in DeckSection]: z.output<(typeof sections)[S]> };
export interface Scenario extends z.output<typeof headerTable>, Tables {
  level: LevelTable[];
  galaxy: GalaxySettings[];
  particles: ParticleComponent[];
  potential: PotentialSettings[];
}
type TableInputs = { [S in DeckSection]: z.input<(typeof sections)[S]> };
/** Tables that may be left out: all of their keys have defaults. */
type OptionalSection = { [S in DeckSection]: Record<never, never> extends TableInputs[S] ? S : never }[DeckSection];

type Constant<T> = T extends object ? { readonly [K in keyof T]: Constant<T[K]> } : T;

/** What initialModel(), sphericalModel() and externalPotential() give. */
export interface RegisteredRecord {
  name: string;
  schema: z.ZodObject;
}
/** Only potentials have a formula. */
type ComponentsOf<R> = R extends { formula: unknown }
  ? never
  : R extends { schema: infer S extends z.ZodType }
    ? z.input<S>
    : never;
type PotentialsOf<R> = R extends { formula: unknown } ? PotentialDeckTable<R> : never;

/**
 * A deck as a program writes it: what has a default may be left out. `R`: the models and potentials that the program
 * itself has registered, `Deck<typeof ring | typeof bar>`.
 */
export type Deck<R extends RegisteredRecord = never> = Constant<
  z.input<typeof headerTable> &
    Omit<TableInputs, OptionalSection> &
    Partial<Pick<TableInputs, OptionalSection>> & {
      particles: (DeckComponent | ComponentsOf<R>)[];
      potential?: (DeckPotential | PotentialsOf<R>)[];
      level?: DeckLevel[];
      galaxy?: DeckGalaxy[];
    }
>;

/** Where the acceleration comes from: the particle mesh, with near pairs, or the sum over all pairs. */
export type Gravity = Scenario["gravity"];

/** The keys of a table of the deck with their schemas, in deck order. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** Takes a raw deck with derived defaults filled in; yields a Scenario. Kinds that are added later count too. */
export function scenarioSchema(): z.ZodType<Scenario> {
  const arrays = arraySections.map((section) => {
    const { name, least } = section;
    if ("schema" in section) return [name, z.array(section.schema).min(least)];
    const [first, ...rest] = section.kinds.records.map(({ schema }) => schema);
    return [name, z.array(z.discriminatedUnion("kind", [first, ...rest])).min(least)];
  });
  const schema = z.strictObject({ ...headerTable.shape, ...sections, ...Object.fromEntries(arrays) });
  return schema as unknown as z.ZodType<Scenario>;
}

/** Fills tables that are left out and the defaults that depend on other keys into `deck`, in place. */
export function fillDerivedDefaults(deck: RawTable): void {
  function fill(table: unknown, shape: Shape | undefined, index: number, siblings: readonly unknown[]) {
    if (!shape || !isTable(table)) return;
    for (const [key, schema] of Object.entries(shape)) {
      const rule = keyInfo(schema)?.derived;
      if (!rule || Object.hasOwn(table, key)) continue;
      const value = rule.value({ deck, table, index, siblings });
      if (value !== undefined) table[key] = value;
    }
  }
  for (const [name, { shape }] of Object.entries(sections)) {
    if (!Object.hasOwn(deck, name)) deck[name] = {};
    fill(deck[name], shape, 0, []);
  }
  for (const section of arraySections) {
    if (section.least === 0 && !Object.hasOwn(deck, section.name)) deck[section.name] = [];
    const tables = tablesOf(deck, section.name);
    tables.forEach((table, index) => {
      fill(table, schemaOf(section, table)?.shape, index, tables);
    });
  }
}
