/**
 * Particles in a table: columns found by their names, rows of each particle type where a column says of which they are.
 * Names are those that codes give them, in any case, and what stands in brackets behind them is left out.
 */
import type { GravmeshError } from "../../../foundation/base/errors.ts";
import { type FileFormatName, VELOCITY_CONVENTIONS } from "../../../foundation/deck/file-formats.ts";
import type { MeasuredDimension } from "../../../foundation/deck/measures.ts";
import { SPECIES, type Species } from "../../../physics/particles/state.ts";
import { type CheckedColumn, type Need, SLAB_ROWS, type Slab, type SnapshotSet, type TypeColumns } from "../column.ts";
import type { ParameterValue } from "../gadget.ts";
import { RowFeed, type RowPlace } from "../row-feed.ts";

/** Numbers that a table may say of itself, by the names that GADGET has for them. */
export const TABLE_ATTRIBUTES = [
  ...["Time", "Redshift", "BoxSize", "Omega0", "OmegaLambda", "HubbleParam", "ComovingIntegrationOn"],
  ...["UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"],
];
export const TABLE_TEXTS = ["units.system", "Velocities"];

const VECTORS = {
  coordinates: {
    whole: ["positions", "position", "pos", "coordinates", "xyz"],
    parts: ["x", "y", "z"].map((axis) => [axis, `pos_${axis}`, `pos${axis}`]),
  },
  velocities: {
    whole: ["velocities", "velocity", "vel"],
    parts: ["x", "y", "z"].map((axis) => [`v${axis}`, `vel_${axis}`, `vel${axis}`, `v_${axis}`]),
  },
} as const;
const MASSES = ["mass", "masses", "m"];
const IDS = ["id", "ids", "particleid", "particleids", "particle_id"];
const TYPES = ["type", "types", "ptype", "species", "particletype"];
/** What columns are measured in, where they are, by the names that are known. */
const KNOWN = new Map<string, MeasuredDimension | undefined>([
  ...namesOf("coordinates").map((name) => [name, "length"] as const),
  ...namesOf("velocities").map((name) => [name, "velocity"] as const),
  ...MASSES.map((name) => [name, "mass"] as const),
  ...[...IDS, ...TYPES].map((name) => [name, undefined] as const),
]);
function namesOf(vector: keyof typeof VECTORS): string[] {
  const { whole, parts } = VECTORS[vector];
  return [...whole, ...parts.flat()];
}

const plainName = (name: string) =>
  name
    .replace(/["']/g, "")
    .replace(/[[(].*$/, "")
    .trim()
    .toLowerCase();

export const isColumnName = (name: string) => KNOWN.has(plainName(name));
export const dimensionOf = (name: string) => KNOWN.get(plainName(name));
/** Ids may have more digits than a number has. */
export const isIdName = (name: string) => IDS.includes(plainName(name));
export const isTypeName = (name: string) => TYPES.includes(plainName(name));
export const typeNumber = (word: string): number => SPECIES.indexOf(word.trim().toLowerCase() as Species);

export interface TableFile {
  file: string;
  format: FileFormatName;
  count: number;
  /** As in the file; equal ones are the same column twice. */
  names: readonly string[];
  attributes: Record<string, ParameterValue>;
  /** The numbers of one name, or of three beside each other. */
  column(names: readonly string[], path: string): CheckedColumn;
  /** A value for all rows, where one stands for a column. */
  scalar?(name: string): number | undefined;
  fault(found: string, advice?: string): GravmeshError;
}

/** The name in the table of one that is known by several; undefined where there is none. */
function named({ names, fault }: TableFile, known: readonly string[]): string | undefined {
  const found = names.filter((name) => known.includes(plainName(name)));
  if (found.length > 1) {
    throw fault(
      `it has the columns ${found.join(" and ")}, which mean the same.`,
      "Leave one of them out, or name it otherwise.",
    );
  }
  return found[0];
}

function vector(table: TableFile, what: keyof typeof VECTORS): CheckedColumn {
  const { whole, parts } = VECTORS[what];
  const one = named(table, whole);
  const three = parts.map((known) => named(table, known));
  const there = three.filter((name) => name !== undefined);
  const fault = (found: string) =>
    table.fault(`${found}; it has ${shown(table.names)}.`, `Name the columns with columns = [${EXAMPLE}] (--columns).`);
  if (one !== undefined && there.length > 0) throw fault(`${what} are in ${one} and in ${there.join(", ")}`);
  if (one !== undefined) return table.column([one], one);
  if (there.length === 3) return table.column(there, what);
  throw fault(`no columns ${parts.map(([name]) => name).join(", ")}`);
}

const EXAMPLE = '"x", "y", "z", "vx", "vy", "vz", "mass"';
const MOST_SHOWN = 20;
const shown = (names: readonly string[]) =>
  names.length === 0
    ? "none"
    : `${names.slice(0, MOST_SHOWN).join(", ")}${names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : ""}`;

async function countsOf(types: CheckedColumn): Promise<number[]> {
  const counts = SPECIES.map(() => 0);
  const count = (value: number | bigint, _: number, { column, row }: RowPlace) => {
    const type = Number(value);
    if (!(type in counts)) throw column.fault(`${column.path} row ${row} is ${value}; expected a type from 0 to 5.`);
    counts[type]++;
  };
  await RowFeed.of([types], (feed) => feed.each(types.rows, count));
  return counts;
}

function ofType(column: CheckedColumn, types: CheckedColumn, type: number, rows: number): CheckedColumn {
  async function* slabs(): AsyncGenerator<Slab> {
    const feed = new RowFeed([types]);
    let first = 0;
    try {
      for await (const { values } of column.slabs()) {
        const n = values.length / column.width;
        const own = await feed.numbers(n, 1);
        const kept: (number | bigint)[] = [];
        for (let k = 0; k < values.length; k++) if (own[Math.floor(k / column.width)] === type) kept.push(values[k]);
        if (kept.length === 0) continue;
        yield { values: kept, first };
        first += kept.length / column.width;
      }
    } finally {
      await feed.close();
    }
  }
  return { ...column, path: `${column.path} of ${SPECIES[type]}`, rows, slabs };
}

/** The particles of a table. Throws "input" where columns are missing or ambiguous. */
export async function setOfTable(table: TableFile, need: Need): Promise<SnapshotSet> {
  const { file, format, count, attributes, fault } = table;
  if (count === 0) throw fault("it has no rows.", "Expected one for each particle.");
  const coordinates = vector(table, "coordinates");
  const velocities = need === "start" ? vector(table, "velocities") : undefined;
  const mass = named(table, MASSES);
  const ids = named(table, IDS);
  const type = named(table, TYPES);
  const same = mass === undefined ? undefined : table.scalar?.(mass);
  if (mass === undefined && need === "start") {
    throw fault(`no column mass; it has ${shown(table.names)}.`, "Each particle needs a mass: add a column.");
  }
  const masses = same ?? (mass === undefined ? 0 : table.column([mass], mass));
  const all = { coordinates, velocities, masses, ids: ids === undefined ? undefined : table.column([ids], ids) };
  const typeColumn = type === undefined ? undefined : table.column([type], type);
  const types: TypeColumns[] = typeColumn
    ? (await countsOf(typeColumn)).flatMap((n, number) => (n === 0 ? [] : [typed(all, typeColumn, number, n)]))
    : [{ type: SPECIES.indexOf("stars"), path: "rows", count, ...all }];
  const { Velocities: said, Time: time } = attributes;
  return {
    ...{ name: file, format, parts: [{ file, types }], header: attributes, parameters: {}, ours: false },
    time: typeof time === "number" ? time : undefined,
    velocities: VELOCITY_CONVENTIONS.find((name) => name === said),
    ...{ perH: true, hasUnits: false },
  };
}

/** Columns of single numbers beside each other. */
export function joined(columns: readonly CheckedColumn[], path: string): CheckedColumn {
  const [first] = columns;
  const { rows } = first;
  async function* slabs(): AsyncGenerator<Slab> {
    const feeds = columns.map((column) => new RowFeed([column]));
    try {
      for (let from = 0; from < rows; from += SLAB_ROWS) {
        const count = Math.min(SLAB_ROWS, rows - from);
        const values = new Float64Array(count * columns.length);
        for (const [k, feed] of feeds.entries()) {
          const one = await feed.numbers(count, 1);
          for (let i = 0; i < count; i++) values[i * columns.length + k] = one[i];
        }
        yield { values, first: from };
      }
    } finally {
      for (const feed of feeds) await feed.close();
    }
  }
  const real = columns.some((column) => column.real);
  const size = Math.max(...columns.map((column) => column.size));
  return { path, rows, width: columns.length === 3 ? 3 : 1, real, size, slabs, fault: first.fault };
}

type AllColumns = Pick<TypeColumns, "coordinates" | "velocities" | "masses" | "ids">;

function typed(all: AllColumns, types: CheckedColumn, type: number, count: number): TypeColumns {
  const own = Object.entries(all).map(([name, column]) => [
    name,
    typeof column === "object" ? ofType(column, types, type, count) : column,
  ]);
  return { type, path: SPECIES[type], count, ...(Object.fromEntries(own) as AllColumns) };
}

/** What of the source a table can say of itself, in this order. */
export function tableAttributes(
  said: Readonly<Record<string, ParameterValue>>,
  velocities: string | undefined,
): [name: string, value: number | string][] {
  const system = said["units.system"];
  const all = [
    ...TABLE_ATTRIBUTES.map((name) => [name, typeof said[name] === "number" ? said[name] : undefined] as const),
    ["units.system", typeof system === "string" ? system : undefined] as const,
    ["Velocities", velocities] as const,
  ];
  return all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}
