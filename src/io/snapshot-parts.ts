/** Names of a snapshot's files: one, or several parts as GADGET numbers them, snapshot_003.0.hdf5, snapshot_003.1.hdf5 … */

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
