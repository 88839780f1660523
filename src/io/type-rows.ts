/**
 * What the files of a snapshot have of each type of particles: its rows one after the other over all files, their masses and
 * ids.
 */
import { type ComponentRange, SPECIES } from "../particles/state.ts";
import type { Column, SnapshotPart, TypeColumns } from "./column.ts";
import { idIn, massIn } from "./particle-numbers.ts";
import { RowFeed, type RowPlace } from "./row-feed.ts";
import type { Ids, RunOfRows } from "./snapshot-order.ts";

/** The particles of a type, over all files. */
export interface TypeRows {
  /** Its rows follow those of the types before. */
  range: ComponentRange;
  /** In the files that have some. */
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
    return [{ range, columns }];
  });
}

/** Of the files that have the column. */
export const feedOf = ({ columns }: TypeRows, column: (of: TypeColumns) => Column | undefined) =>
  new RowFeed(columns.flatMap((of) => column(of) ?? []));

/** Calls `use` with feeds that are closed after it. */
export async function withFeed<T>(feed: RowFeed, use: (feed: RowFeed) => Promise<T>): Promise<T> {
  try {
    return await use(feed);
  } finally {
    await feed.close();
  }
}

/** Masses of the rows of a type [mass]: one, or [count] of them. */
export async function massesOf(type: TypeRows, scale: number): Promise<number | Float64Array> {
  const [of] = type.columns;
  if (typeof of.masses === "number") return of.masses * scale;
  const masses = new Float64Array(type.range.count);
  await withFeed(
    feedOf(type, ({ masses: column }) => column as Column),
    (feed) =>
      feed.each(masses.length, (value, i, where) => {
        masses[i] = massIn(value, scale, where);
      }),
  );
  return masses;
}

/** Whether all files of a type have ids, which other codes may leave out. */
const hasIds = ({ columns }: TypeRows) => columns.every(({ ids }) => ids !== undefined);

/** All ids of a type. Throws "input" for what is no whole number from 0 up. */
export async function idsOf(type: TypeRows): Promise<Ids | undefined> {
  if (!hasIds(type)) return undefined;
  const kinds = type.columns.map(({ ids }) => ids!);
  const real = kinds.some((column) => column.real);
  const ids: Ids = new (real ? Float64Array : kinds.some(({ size }) => size === 8) ? BigUint64Array : Uint32Array)(
    type.range.count,
  );
  const take = (value: number | bigint, i: number, where: RowPlace) => {
    const id = idIn(value, where);
    ids[i] = ids instanceof BigUint64Array ? BigInt(id) : Number(id);
  };
  await withFeed(
    feedOf(type, ({ ids: column }) => column!),
    (feed) => feed.each(ids.length, take),
  );
  return ids;
}

/** Whether the rows have the ids that gravmesh gives these particles, as far as they have any. */
export async function idsFit(types: readonly TypeRows[], runs: readonly RunOfRows[], every: number): Promise<boolean> {
  for (const type of types) {
    if (!hasIds(type)) continue;
    const feed = feedOf(type, ({ ids }) => ids!);
    let fit = true;
    await withFeed(feed, async () => {
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

export const within = ({ range }: TypeRows, row: number) => row >= range.first && row < range.first + range.count;
