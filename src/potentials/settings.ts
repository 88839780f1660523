/** [[potential]] tables, whatever their kind: where they act, and what is wrong with one in its box. */

import { GravmeshError } from "../base/errors.ts";
import type { KindTables } from "../deck/kinds.ts";
import { mismatch, type Problem, shortest } from "../deck/problems.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { CentrePath } from "./change-keys.ts";
import { type ChangingTable, changeProblems, changesOf } from "./change-keys.ts";
import type { CompositePart } from "./composite.ts";
import { centrePath } from "./path-file.ts";
import type { ExternalPotential } from "./potential.ts";
import { potentialKinds } from "./potentials.ts";

export const potentialTables: KindTables = {
  name: "potential",
  noun: "potential",
  nouns: "potentials",
  about: "External fields beside that of the particles, any number of tables (docs/potentials.md); isolated box only",
  meaning: "the potential",
  least: 0,
  kinds: potentialKinds,
};

/** A [[potential]] table as checked. */
export type PotentialSettings = {
  kind: string;
  name: string;
  galaxy?: string | undefined;
  offset: [number, number, number];
} & ChangingTable &
  Record<string, unknown>;

/** What a table stands for, at its place in the box, without the path that it may have; `G` in deck units. */
export function placed(table: PotentialSettings, { size }: Pick<BoxSettings, "size">, G: number): ExternalPotential[] {
  const [x, y, z] = table.offset.map((distance) => 0.5 * size + distance);
  return partsOf(table, G).map(({ kind, parameters }) => {
    return { kind, centre: [x, y, z], parameters, ...changesOf(table) };
  });
}

function partsOf(table: PotentialSettings, G: number): CompositePart[] {
  const record = potentialKinds.get(table.kind);
  const parameters = Object.fromEntries(Object.keys(record.keys).map((key) => [key, Number(table[key])]));
  return "parts" in record ? record.parts(parameters, G) : [{ kind: table.kind, parameters }];
}

/** How many potentials these tables stand for. */
export function potentialCount(tables: readonly PotentialSettings[]): number {
  return tables.reduce((sum, table) => sum + partsOf(table, 1).length, 0);
}

/** Potentials with the paths of their centres, which are in files; one is read once. Throws "input" and "usage". */
export async function withPaths(
  given: readonly { potential: ExternalPotential; path?: string | undefined }[],
  { end, loadText }: { end: number; loadText: ((file: string, what: string) => Promise<string>) | undefined },
): Promise<ExternalPotential[]> {
  const what = "[[potential]] path";
  const paths = new Map<string, CentrePath>();
  for (const { path: file } of given) {
    if (file === undefined || paths.has(file)) continue;
    if (!loadText) {
      const expected = `${what}: expected something that reads ${file}, found none; pass options.loadText`;
      throw new GravmeshError("usage", expected);
    }
    paths.set(file, centrePath(await loadText(file, `${what}: the table`), `${what}: ${file}`, end));
  }
  return given.map(({ potential, path: file }) => {
    const path = paths.get(file ?? "");
    return path ? { ...potential, path } : potential;
  });
}

export function potentialProblems(tables: readonly PotentialSettings[], { size, boundary }: BoxSettings): Problem[] {
  return tables.flatMap((table, index) => {
    const { kind, offset } = table;
    const at = (key: string) => ["potential", index, key];
    if (boundary === "periodic") {
      const hint = 'Leave it out, or use boundary = "isolated"';
      return [mismatch(at("kind"), 'no [[potential]] table in a box with boundary = "periodic"', kind, hint)];
    }
    const room = `less than box.size/2 = ${shortest(size / 2)} from its centre on each axis`;
    const outside = Math.max(...offset.map(Math.abs)) >= size / 2;
    return [
      ...(outside ? [mismatch(at("offset"), `a centre inside the box, ${room}`, offset)] : []),
      ...changeProblems(table, ["potential", index]),
    ];
  });
}
