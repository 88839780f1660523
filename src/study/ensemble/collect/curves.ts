/**
 * Curves of all members and their statistics. Rows go from the members' files to the HDF5 file a band of members at a time,
 * and from there to the statistics a range of times at a time, so that memory doesn't grow with members times rows.
 */

import { messageOf } from "../../../run/failure.ts";
import { breathe, type Hdf5File, type Hdf5Group } from "../../../run/io/hdf5.node.ts";
import { memberFolder } from "../ensemble.ts";
import { BAND, CollectedTable, type Column, writeColumns } from "./file.ts";
import { GRID_MEANING, gridOf, onGrid, type TimeGrid } from "./grid.ts";
import type { CollectedMember, Shared } from "./members.ts";
import { SPREAD, SPREAD_NAMES, type Spread, spreadOf } from "./statistics.ts";
import { type CurveTable, readTable, TABLES, type TableColumns, type TableName, type UnitNames } from "./tables.ts";

type SpreadInTime = Record<keyof Spread, Float64Array>;

export type CollectedCurves = Awaited<ReturnType<typeof writeTable>>;

export interface CurveRequest {
  folder: string;
  members: readonly CollectedMember[];
  shared: Shared;
  units: UnitNames;
  drawn: ReadonlySet<number>;
  report?: ((what: string) => void) | undefined;
}

/** Writes groups Curves, Raw and Statistics; what a page draws of them. */
export async function writeCurves(file: Hdf5File, request: CurveRequest) {
  const groups = { curves: file.create_group("Curves"), statistics: file.create_group("Statistics") };
  const found: Partial<Record<TableName, CollectedCurves>> = {};
  for (const table of TABLES) {
    const sketches = request.members.map(({ tables }) => tables[table.name]);
    const grid = gridOf(sketches.map((sketch) => sketch?.times ?? new Float64Array()));
    if (grid.times.length === 0) continue;
    const names = [...new Set(sketches.flatMap((sketch) => sketch?.names ?? []))];
    found[table.name] = await writeTable(file, groups, { ...request, table, grid, names });
  }
  return found;
}

interface TableRequest extends CurveRequest {
  table: CurveTable;
  grid: TimeGrid;
  names: readonly string[];
}

async function writeTable(file: Hdf5File, groups: { curves: Hdf5Group; statistics: Hdf5Group }, request: TableRequest) {
  const { table, grid, names, members, units, report } = request;
  const length = grid.times.length;
  const group = groups.curves.create_group(table.name);
  const time = table.quantity("time", units);
  writeColumns(group, { time: [grid.times, { ...time, grid: grid.kind, about: GRID_MEANING[grid.kind] }] });
  const tables = names.map(
    (name) => new CollectedTable(group, name, members.length, length, table.quantity(name, units)),
  );
  const writeRaw = grid.kind === "shared" ? undefined : rawTables(file, request);
  /** By member and column, [T]: of those that a page draws one by one. */
  const single = new Map<number, Map<string, Float64Array>>();
  const nothing = new Float64Array(length).fill(Number.NaN);
  for (let first = 0; first < members.length; first += BAND) {
    report?.(`${table.file} of ${Math.min(members.length, first + BAND)} of ${members.length} members`);
    const rows = members.slice(first, first + BAND).map((member) => rowsOf(member, request));
    writeRaw?.(first, rows);
    for (const [c, name] of names.entries()) {
      const band = new Float64Array(rows.length * length);
      for (const [i, found] of rows.entries()) {
        const taken = found ? onGrid(grid, found.times, columnOf(found, name)) : nothing;
        band.set(taken, i * length);
        const { index } = members[first + i];
        if (!request.drawn.has(index) || !found) continue;
        if (!single.has(index)) single.set(index, new Map());
        single.get(index)!.set(name, taken);
      }
      tables[c].write(first, band);
    }
    await breathe();
  }
  const counted = members.flatMap((member, row) => (member.counted ? [row] : []));
  const into = groups.statistics.create_group(table.name);
  writeColumns(into, { time: [grid.times, time] });
  /** By column, of the members that are counted. */
  const statistics = new Map<string, SpreadInTime>();
  for (const [c, name] of names.entries()) {
    const spread = spreadInTime(tables[c], counted);
    statistics.set(name, spread);
    const { unit } = table.quantity(name, units);
    const about = (what: keyof Spread) => ({ meaning: SPREAD[what], unit: what === "count" ? "" : unit });
    const columns = SPREAD_NAMES.map((what): [string, Column] => [what, [spread[what], about(what)]]);
    writeColumns(into.create_group(name), Object.fromEntries(columns));
    await breathe();
  }
  return { grid, statistics, single };
}

function spreadInTime(table: CollectedTable, counted: readonly number[]): SpreadInTime {
  const spreads = Array.from(table.byColumn(counted), spreadOf);
  const column = (name: keyof Spread) => Float64Array.from(spreads, (spread) => spread[name]);
  return Object.fromEntries(SPREAD_NAMES.map((name) => [name, column(name)])) as SpreadInTime;
}

/** As many rows as it had at first: a member that runs goes on writing. None of a file that has been damaged since. */
function rowsOf(member: CollectedMember, { folder, table, shared }: TableRequest): TableColumns | undefined {
  const sketch = member.tables[table.name];
  if (!sketch) return undefined;
  try {
    return readTable(memberFolder(folder, member), table, shared.momentum(member), sketch.times.length);
  } catch (error) {
    member.faults.push(messageOf(error));
    return undefined;
  }
}

const columnOf = ({ times, columns }: TableColumns, name: string): Float64Array =>
  columns.get(name) ?? new Float64Array(times.length).fill(Number.NaN);

/** The members' rows as they stand, where the curves are taken between them; no numbers behind the last. */
function rawTables(file: Hdf5File, { table, members, names, units }: TableRequest) {
  const raw = file.get("Raw") as Hdf5Group | null;
  const group = (raw ?? file.create_group("Raw")).create_group(table.name);
  const longest = Math.max(...members.map(({ tables }) => tables[table.name]?.times.length ?? 0));
  const make = (name: string) => new CollectedTable(group, name, members.length, longest, table.quantity(name, units));
  const columns: [CollectedTable, (found: TableColumns) => Float64Array][] = [
    [make("time"), ({ times }) => times],
    ...names.map((name): (typeof columns)[number] => [make(name), (found) => columnOf(found, name)]),
  ];
  return (first: number, rows: readonly (TableColumns | undefined)[]) => {
    for (const [into, of] of columns) {
      const values = new Float64Array(rows.length * longest).fill(Number.NaN);
      for (const [i, found] of rows.entries()) if (found) values.set(of(found), i * longest);
      into.write(first, values);
    }
  };
}
