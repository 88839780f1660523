/** What the files of a snapshot have of each type of particles: its rows one after the other over all files. */
import { blockRanges } from "../../physics/particles/blocks.ts";
import { type ComponentRange, SPECIES } from "../../physics/particles/state.ts";
import { type CheckedColumn, type Field, SLAB_ROWS, type Slab, type SnapshotPart, type TypeColumns } from "./column.ts";
import { type Ids, RowFeed } from "./row-feed.ts";
import type { RowRun } from "./snapshot-rows.ts";

export interface TypeRows {
  type: number;
  /** Its rows follow those of the types before. */
  range: ComponentRange;
  columns: TypeColumns[];
}

export function typesOf(parts: readonly SnapshotPart[]): TypeRows[] {
  let first = 0;
  return SPECIES.flatMap((species, type) => {
    const columns = parts.flatMap(({ types }) => types.filter((of) => of.type === type));
    const count = columns.reduce((sum, of) => sum + of.count, 0);
    if (count === 0) return [];
    const range = { name: species, species, first, count };
    first += count;
    return [{ type, range, columns }];
  });
}

export const columnsOf = ({ columns }: TypeRows, field: Field): CheckedColumn[] =>
  columns.flatMap((of) => (typeof of[field] === "object" ? of[field] : []));

/** Masses of the rows of a type [mass]: one, or [count] of them. */
export async function massesOf(type: TypeRows, scale: number): Promise<number | Float64Array> {
  const [{ masses }] = type.columns;
  if (typeof masses === "number") return masses * scale;
  return RowFeed.of(columnsOf(type, "masses"), (feed) => feed.masses(type.range.count, scale));
}

/** Whether all files of a type have ids, which other codes may leave out. */
const hasIds = ({ columns }: TypeRows) => columns.every(({ ids }) => ids !== undefined);

/** All ids of a type. Throws "input" for what is no whole number from 0 up. */
export async function idsOf(type: TypeRows): Promise<Ids | undefined> {
  if (!hasIds(type)) return undefined;
  const columns = columnsOf(type, "ids");
  const whole = columns.some(({ size }) => size === 8) ? BigUint64Array : Uint32Array;
  const room = new (columns.some(({ real }) => real) ? Float64Array : whole)(type.range.count);
  return RowFeed.of(columns, (feed) => feed.ids<Ids>(room));
}

/** Whether the rows have the ids that gravmesh gives these particles, as far as they have any. */
export async function idsFit(types: readonly TypeRows[], runs: readonly RowRun[], every: number): Promise<boolean> {
  let fit = true;
  for (const type of types.filter(hasIds)) {
    await RowFeed.of(columnsOf(type, "ids"), async (feed) => {
      for (const { first, count } of runs.filter(({ row }) => within(type, row))) {
        await feed.each(count, (id, i) => {
          fit &&= Number(id) === every * (first + i);
        });
        if (!fit) return;
      }
    });
    if (!fit) return false;
  }
  return true;
}

/** The column of ids `from`, `from` + 1, … of the particles of a type. */
export function numberedIds({ count, coordinates, path }: TypeColumns, from: number): CheckedColumn {
  async function* slabs(): AsyncGenerator<Slab> {
    for (const { first, count: length } of blockRanges(count, SLAB_ROWS)) {
      yield { values: Float64Array.from({ length }, (_, i) => from + first + i), first };
    }
  }
  const size = from + count > 2 ** 32 ? 8 : 4;
  return { ...coordinates, width: 1, real: false, path: `new ids of ${path}`, size, slabs };
}

export const within = ({ range }: TypeRows, row: number) => row >= range.first && row < range.first + range.count;
