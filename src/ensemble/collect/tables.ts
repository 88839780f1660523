/**
 * The files of rows in time that a member may have: diagnostics.csv, bars.csv, galaxies.csv. Each is a table of columns
 * with a meaning and a unit; columns of an extension have their names alone.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { UnitSystem } from "../../deck/units.ts";
import { BAR_COLUMNS } from "../../diagnostics/bar-strength.ts";
import { columns as diagnosticsColumns } from "../../diagnostics/columns.ts";
import { numberTable } from "../../io/csv.ts";
import { LARGEST_FILE, readRegularFile } from "../../io/regular-file.node.ts";
import { DIAGNOSTICS_FILE } from "../../run/outputs/diagnostics.ts";
import { GALAXIES_FILE } from "../../run/outputs/galaxies.ts";
import { momentumErrors } from "../../run/report/curves.ts";

export type UnitNames = UnitSystem["labels"];

/** What a number is. `unit`: in the deck's; "" of a pure number, and where it isn't known. */
export type Quantity = Readonly<Record<"unit" | "meaning", string>>;

export interface CurveTable {
  name: "diagnostics" | "bars" | "galaxies";
  file: string;
  quantity(column: string, units: UnitNames): Quantity;
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

const known = (found: Quantity | undefined, column: string, units: UnitNames): Quantity =>
  found ? { unit: unitText(found.unit, units), meaning: found.meaning } : { unit: "", meaning: column };

function diagnosticsQuantity(column: string, units: UnitNames): Quantity {
  const isMeant = ({ name, heads = [] }: (typeof diagnosticsColumns.records)[number]) =>
    [heads].flat().includes(column) || (column === MOMENTUM_ERROR && name === "momentumError");
  return known(diagnosticsColumns.records.find(isMeant), column, units);
}

function barQuantity(column: string, units: UnitNames): Quantity {
  const found = BAR_COLUMNS.find(({ name }) => name === column);
  return known(found, column, units);
}

/** Names are those of src/run/outputs/galaxies.ts: a galaxy or a pair, a point, what of it. */
function galaxyQuantity(column: string, units: UnitNames): Quantity {
  const what = column.slice(column.lastIndexOf(".") + 1);
  if (what === "time") return { unit: units.time, meaning: "of the row" };
  if (/^v[xyz]$/.test(what)) return { unit: units.velocity, meaning: `${what[1]} velocity of the core` };
  if (what === "speed") return { unit: units.velocity, meaning: "relative speed of the cores" };
  if (what === "separation") return { unit: units.length, meaning: "distance between the density centres" };
  if (/^[xyz]$/.test(what)) return { unit: units.length, meaning: `${what} of the density centre` };
  if (/^r\d+$/.test(what)) return { unit: units.length, meaning: `radius that holds ${what.slice(1)} % of its mass` };
  if (/^m\d+$/.test(what)) {
    return { unit: units.mass, meaning: `its mass inside the radius that held ${what.slice(1)} % of it at the start` };
  }
  return { unit: "", meaning: column === "step" ? "steps taken" : column };
}

export const TABLES: readonly CurveTable[] = [
  { name: "diagnostics", file: DIAGNOSTICS_FILE, quantity: diagnosticsQuantity },
  { name: "bars", file: "bars.csv", quantity: barQuantity },
  { name: "galaxies", file: GALAXIES_FILE, quantity: galaxyQuantity },
];

export interface TableColumns {
  /** [rows] [time] */
  times: Float64Array;
  /** [rows] of each column besides the time. */
  columns: ReadonlyMap<string, Float64Array>;
}

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

/** At most `most` rows. Likewise. */
export function readTable(
  folder: string,
  { name, file }: CurveTable,
  momentum: MomentumOf,
  most = Infinity,
): TableColumns | undefined {
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
