/**
 * Which particles are in which rows of which file of a snapshot: a file holds a range of ids, each GADGET type those of
 * its components among them, in id order. Files are named as GADGET numbers them, snapshot_003.0.hdf5 and so on.
 */
import type { ParticleMasses } from "../../physics/particles/masses.ts";
import type { IdRange } from "../../physics/particles/reductions.ts";
import { type ComponentRange, SPECIES } from "../../physics/particles/state.ts";
import { PARTICLE_TYPES } from "./gadget.ts";

export interface RowRun extends IdRange {
  row: number;
}

export interface RowsOfType {
  type: number;
  count: number;
  runs: RowRun[];
}

/** Ids of each file: as few files as `most` particles a file allow, alike in size. */
export function idsOfFiles(count: number, most: number): IdRange[] {
  const files = Math.max(1, Math.ceil(count / most));
  const begin = (file: number) => Math.floor((count * file) / files);
  return Array.from({ length: files }, (_, file) => ({ first: begin(file), count: begin(file + 1) - begin(file) }));
}

/** The part of a range that lies in another; undefined where none does. */
export function common(a: IdRange, b: IdRange): IdRange | undefined {
  const first = Math.max(a.first, b.first);
  const count = Math.min(a.first + a.count, b.first + b.count) - first;
  return count > 0 ? { first, count } : undefined;
}

/** Rows of each type that has particles among `ids`. */
export function rowsByType(components: readonly ComponentRange[], ids: IdRange): RowsOfType[] {
  return SPECIES.flatMap((species, type) => {
    let row = 0;
    const runs: RowRun[] = [];
    for (const component of components) {
      const run = component.species === species ? common(component, ids) : undefined;
      if (run === undefined) continue;
      runs.push({ ...run, row });
      row += run.count;
    }
    return row === 0 ? [] : [{ type, count: row, runs }];
  });
}

/** The one mass of all particles of a type [mass], or 0 where they differ. */
export function tableMass(components: readonly ComponentRange[], masses: ParticleMasses, type: number): number {
  const of = components.filter(({ species, count }) => species === SPECIES[type] && count > 0);
  const [mass, ...others] = of.map((range) => masses.common(range));
  return others.every((other) => other === mass) ? (mass ?? 0) : 0;
}

export function numbersByType(rows: readonly Pick<RowsOfType, "type" | "count">[]): BigUint64Array<ArrayBuffer> {
  const numbers = new BigUint64Array(PARTICLE_TYPES);
  for (const { type, count } of rows) numbers[type] = BigInt(count);
  return numbers;
}

/** Beginning, number of the part where there is one, ending. */
const PART = /^(.*?)(?:\.(\d+))?(\.(?:hdf5|h5))?$/s;

/** Names of `count` files of the snapshot that would be called `file` if it were one. */
export function partNames(file: string, count: number): string[] {
  if (count === 1) return [file];
  const [, stem, , ending = ""] = PART.exec(file)!;
  return Array.from({ length: count }, (_, part) => `${stem}.${part}${ending}`);
}

/** The number of a part, and the name of the whole; undefined for a name without a number. */
export function partOfName(file: string): { part: number; whole: string } | undefined {
  const [, stem, number, ending = ""] = PART.exec(file)!;
  return number === undefined ? undefined : { part: Number(number), whole: `${stem}${ending}` };
}

/** In /Parameters of our own: the number of a part, which its name has to have. */
export const PART_NUMBER = "gravmesh.part";
