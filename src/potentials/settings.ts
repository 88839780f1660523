/** [[potential]] tables, whatever their kind: where they act, and what is wrong with one in its box. */
import type { KindTables } from "../deck/kinds.ts";
import { mismatch, type Problem, shortest } from "../deck/problems.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { ExternalPotential } from "./potential.ts";
import { potentials } from "./potentials.ts";

export const potentialTables: KindTables = {
  name: "potential",
  noun: "potential",
  nouns: "potentials",
  about: "Fixed external fields beside that of the particles, any number of tables; isolated box only",
  meaning: "the potential",
  least: 0,
  kinds: potentials,
};

/** A [[potential]] table as checked. */
export type PotentialSettings = {
  kind: string;
  name: string;
  galaxy?: string | undefined;
  offset: [number, number, number];
} & Record<string, unknown>;

/** The potential of a table, at its place in the box. */
export function placed(table: PotentialSettings, { size }: Pick<BoxSettings, "size">): ExternalPotential {
  const { kind, offset } = table;
  const [x, y, z] = offset.map((distance) => 0.5 * size + distance);
  const keys = Object.keys(potentials.get(kind).keys);
  return { kind, centre: [x, y, z], parameters: Object.fromEntries(keys.map((key) => [key, Number(table[key])])) };
}

export function potentialProblems(tables: readonly PotentialSettings[], { size, boundary }: BoxSettings): Problem[] {
  return tables.flatMap(({ kind, offset }, index) => {
    const at = (key: string) => ["potential", index, key];
    if (boundary === "periodic") {
      const hint = 'Leave it out, or use boundary = "isolated"';
      return [mismatch(at("kind"), 'no [[potential]] table in a box with boundary = "periodic"', kind, hint)];
    }
    if (Math.max(...offset.map(Math.abs)) < size / 2) return [];
    const room = `less than box.size/2 = ${shortest(size / 2)} from its centre on each axis`;
    return [mismatch(at("offset"), `a centre inside the box, ${room}`, offset)];
  });
}
