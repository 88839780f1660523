/** The order of particles read from a snapshot: by id, whatever order a file has them in; no id twice. */
import type { GravmeshError } from "../../foundation/base/errors.ts";
import { type ComponentRange, SPECIES } from "../../physics/particles/state.ts";
import { DistinctIds, repeatedWords } from "./distinct-ids.ts";
import type { Ids } from "./row-feed.ts";
import { type RowRun, type RowsOfType, rowsByType } from "./snapshot-rows.ts";

/** ParticleIDs of each GADGET type, [N of the type]; undefined for a type that has none. */
type IdsByType = readonly (Ids | undefined)[];

/** slot → row, when the ids of all types together are a permutation of 0…count−1. */
function inverseOfIds(ids: IdsByType, count: number): Uint32Array | undefined {
  const order = new Uint32Array(count);
  const taken = new Uint8Array(count);
  let row = 0;
  for (const list of ids) {
    if (list === undefined) return undefined;
    for (const value of list) {
      const id = Number(value);
      if (!(id < count) || taken[id] === 1) return undefined;
      taken[id] = 1;
      order[id] = row++;
    }
  }
  return row === count ? order : undefined;
}

/** slot → row: rows of each type in the order of their ids. */
function sortedWithinTypes(ids: IdsByType, types: readonly ComponentRange[], count: number) {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (const [t, { first, count: n }] of types.entries()) {
    const list = ids[t];
    if (list === undefined) continue;
    order
      .subarray(first, first + n)
      .sort((a, b) => (list[a - first] < list[b - first] ? -1 : list[a - first] > list[b - first] ? 1 : a - b));
  }
  return order;
}

function ascending(list: Ids | undefined): boolean {
  if (list === undefined) return true;
  for (let i = 1; i < list.length; i++) if (list[i] < list[i - 1]) return false;
  return true;
}

/** An id that two particles of the file have, of whatever types. */
function repeatedId(ids: IdsByType): number | bigint | undefined {
  const lists = ids.filter((list) => list !== undefined);
  const distinct = new DistinctIds(lists.reduce((sum, list) => sum + list.length, 0));
  do for (const list of lists) for (const id of list) distinct.take(id);
  while (!distinct.done());
  return distinct.repeated;
}

/**
 * Particle → row, undefined where they are the same, and the components. `types`: the rows of each particle type; `own`: the
 * components that our writer recorded; `fault` makes the error for ids that can't be.
 */
export function orderOf(
  types: readonly ComponentRange[],
  { ids, own }: { ids: IdsByType; own: ComponentRange[] | undefined },
  fault: (found: string, advice: string) => GravmeshError,
): { rows: Uint32Array | undefined; components: readonly ComponentRange[] } {
  const count = types.reduce((sum, type) => sum + type.count, 0);
  const byId = inverseOfIds(ids, count);
  if (own !== undefined && byId !== undefined) return { rows: byId, components: own };
  if (byId === undefined) {
    const repeated = repeatedId(ids);
    if (repeated !== undefined) throw fault(...repeatedWords(repeated));
    if (own !== undefined && ids.every((list) => list !== undefined)) {
      throw fault(
        `ParticleIDs are not the numbers 0 to ${count - 1} that gravmesh wrote.`,
        "The file is damaged. Copy it again, or use an earlier snapshot.",
      );
    }
  }
  return { rows: ids.every(ascending) ? undefined : sortedWithinTypes(ids, types, count), components: types };
}

/** Where the particles of our components are in the rows of their types; undefined where the types have others. */
export function runsOfComponents(
  components: readonly ComponentRange[],
  types: readonly ComponentRange[],
): RowRun[] | undefined {
  const count = components.reduce((sum, component) => sum + component.count, 0);
  const own = rowsByType(components, { first: 0, count });
  const fits = ({ type, count: n }: RowsOfType, i: number) =>
    SPECIES[type] === types[i].species && n === types[i].count;
  if (own.length !== types.length || !own.every(fits)) return undefined;
  const runs = own.flatMap((of, i) => of.runs.map((run) => ({ ...run, row: types[i].first + run.row })));
  return runs.sort((a, b) => a.first - b.first);
}
