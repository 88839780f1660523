/** The order of particles read from a snapshot: by id, whatever order a file has them in. */
import type { ComponentRange, ParticleSet } from "../particles/state.ts";

/** As files store them: in 32 or 64 bits, or as real numbers. */
export type Ids = Uint32Array | BigUint64Array | Float64Array;

/** slot → row, when the ids of all types together are a permutation of 0…count−1. */
function inverseOfIds(ids: readonly (Ids | undefined)[], count: number): Uint32Array | undefined {
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

/** slot → row: rows of each type in the order of their ids, equal ids in the order of the file. */
function sortedWithinTypes(ids: readonly (Ids | undefined)[], types: readonly ComponentRange[], count: number) {
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

/**
 * Which row of the file each particle of the run comes from, and the components.
 * `types`: the rows of each particle type; `own`: the components that our writer recorded.
 */
export function fileOrder(
  ids: readonly (Ids | undefined)[],
  types: readonly ComponentRange[],
  own: ComponentRange[] | undefined,
): { order: Uint32Array | undefined; components: ComponentRange[] } {
  const count = types.reduce((sum, type) => sum + type.count, 0);
  const byId = own === undefined ? undefined : inverseOfIds(ids, count);
  if (own !== undefined && byId !== undefined) return { order: byId, components: own };
  const components = types.map((type) => ({ ...type }));
  return { order: ids.every(ascending) ? undefined : sortedWithinTypes(ids, types, count), components };
}

/** `set` with particle i taken from row order[i]. */
export function permuted(set: ParticleSet, order: Uint32Array): ParticleSet {
  const from = (k: number) => 3 * order[Math.floor(k / 3)] + (k % 3);
  return {
    ...set,
    positions: set.positions.map((_, k, all) => all[from(k)]),
    velocities: set.velocities.map((_, k, all) => all[from(k)]),
    masses: set.masses.map((_, i, all) => all[order[i]]),
  };
}
