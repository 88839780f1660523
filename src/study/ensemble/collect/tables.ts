/**
 * The files of rows in time that a member may have: diagnostics.csv, bars.csv, galaxies.csv, components.csv. Each is a table of columns
 * with a meaning and a unit; columns of an extension have their names alone.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BAR_COLUMNS } from "../../../engine/diagnostics/bar-strength.ts";
import { columns as diagnosticsColumns } from "../../../engine/diagnostics/columns.ts";
import type { UnitSystem } from "../../../foundation/deck/units.ts";
import { numberTable } from "../../../run/io/csv.ts";
import { LARGEST_FILE, readRegularFile } from "../../../run/io/regular-file.node.ts";
import { DIAGNOSTICS_FILE } from "../../../run/outputs/diagnostics.ts";
import { COMPONENTS_FILE, GALAXIES_FILE } from "../../../run/outputs/galaxies.ts";
import { momentumErrors } from "../../../run/report/curves.ts";

export type UnitNames = UnitSystem["labels"];

/** What a number is. `unit`: in the deck's; "" of a pure number, and where it isn't known. */
export type MemberQuantity = Readonly<Record<"unit" | "meaning", string>>;

export interface CurveTable {
  name: "diagnostics" | "bars" | "galaxies" | "components";
  file: string;
  quantity(column: string, units: UnitNames): MemberQuantity;
}

export type TableName = CurveTable["name"];

/** The name of |P − P₀|/√(2 K M), which diagnostics.csv doesn't have and the pages draw. */
export const MOMENTUM_ERROR = "momentum_error";
const KEPT_UNITS = /mass|length|velocity|time|frequency/g;

/** "mass velocity²" in the names of the deck's units: "1e10 Msun (km/s)²". */
function unitText(unit: string, units: UnitNames): string {
  const named = (dimension: string) => {
    const name = units[dimension as keyof UnitNames];
    return unit !== dimension && /[/ ]/.test(name) ? `(${name})` : name;
  };
  return unit.replace(KEPT_UNITS, named);
}

/** Names of src/run/outputs/galaxies.ts, behind those of a galaxy or a pair and a point. */
const GALAXY_COLUMNS: readonly [name: RegExp, unit: string, meaning: string][] = [
  [/^time$/, "time", "of the row"],
  [/^step$/, "", "steps taken"],
  [/^v([xyz])$/, "velocity", "$1 velocity of the core"],
  [/^speed$/, "velocity", "relative speed of the cores"],
  [/^separation$/, "length", "distance between the density centres"],
  [/^([xyz])$/, "length", "$1 of the density centre"],
  [/^r(\d+)$/, "length", "radius that holds $1 % of its mass"],
  [/^m(\d+)$/, "mass", "its mass inside the radius that held $1 % of it at the start"],
];

function galaxyColumn(column: string): MemberQuantity | undefined {
  const what = column.slice(column.lastIndexOf(".") + 1);
  const [name, unit, meaning] = GALAXY_COLUMNS.find(([name]) => name.test(what)) ?? [];
  return name && { unit: unit!, meaning: what.replace(name, meaning!) };
}

const diagnosticsColumn = (column: string): MemberQuantity | undefined =>
  diagnosticsColumns.records.find(
    ({ name, heads = [] }) =>
      [heads].flat().includes(column) || (column === MOMENTUM_ERROR && name === "momentumError"),
  );

/** `of`: the description of a column, with the dimension as its unit. */
const tableOf = (name: TableName, file: string, of: (column: string) => MemberQuantity | undefined): CurveTable => ({
  ...{ name, file },
  quantity(column, units) {
    const { unit = "", meaning = column } = of(column) ?? {};
    return { unit: unitText(unit, units), meaning };
  },
});

export const TABLES: readonly CurveTable[] = [
  tableOf("diagnostics", DIAGNOSTICS_FILE, diagnosticsColumn),
  tableOf("bars", "bars.csv", (column) => BAR_COLUMNS.find(({ name }) => name === column)),
  tableOf("galaxies", GALAXIES_FILE, galaxyColumn),
  tableOf("components", COMPONENTS_FILE, galaxyColumn),
];

export type TableColumns = NonNullable<ReturnType<typeof readTable>>;

/** What a member's momentum error is divided by follows from these; without its mass there is none. */
export interface MomentumOf {
  mass: number | undefined;
  comoving: boolean;
  /** G/L [velocity²/mass] */
  boxPotential: number;
}

/** A file of a member's, its first `finite` columns without gaps; undefined where there is none. Throws "input". */
export function numbersIn(folder: string, file: string, finite?: number) {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  return numberTable(readRegularFile(path, { what: "The file", limit: LARGEST_FILE }), file, finite);
}

/** At most `most` rows: the times, and each column besides [rows]. Likewise. */
export function readTable(folder: string, { name, file }: CurveTable, momentum: MomentumOf, most = Infinity) {
  const found = numbersIn(folder, file);
  if (!found) return undefined;
  const { names, rows } = found;
  const length = Math.min(most, rows.length);
  const columns = names.map((_, c) => Float64Array.from({ length }, (_, i) => rows[i][c]));
  const [times] = columns;
  const table = { times, columns: new Map(names.slice(1).map((head, c) => [head, columns[c + 1]])) };
  if (name === "diagnostics") addMomentumError(table, momentum);
  return table;
}

function addMomentumError(
  { times, columns }: { times: Float64Array; columns: Map<string, Float64Array> },
  { mass, comoving, boxPotential }: MomentumOf,
): void {
  const heads = ["kinetic", "potential", "momentum_x", "momentum_y", "momentum_z"];
  const [kinetic, potential, x, y, z] = heads.map((head) => columns.get(head));
  if (!kinetic || !potential || !x || !y || !z || times.length === 0) return;
  const states = Array.from(times, (time, i) => {
    const momentum: [number, number, number] = [x[i], y[i], z[i]];
    return { time, kinetic: kinetic[i], potential: potential[i], momentum };
  });
  const errors =
    mass === undefined
      ? new Float64Array(times.length).fill(Number.NaN)
      : Float64Array.from(momentumErrors(states, { comoving, totalMass: mass, boxEnergy: boxPotential * mass ** 2 }));
  columns.set(MOMENTUM_ERROR, errors);
}
