/** [[potential]] tables, whatever their kind: where they act, and the problems of one in its box. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { KindTables } from "../../foundation/deck/kinds.ts";
import { cut, mismatch, mismatchIf, type Problem, shortest } from "../../foundation/deck/problems.ts";
import type { BoxSettings } from "../particles/box.ts";
import { type CentrePath, type ChangingTable, changeProblems, changesOf, orbitProblems } from "./motion.ts";
import type { ExternalPotential } from "./potential.ts";
import { potentialKinds } from "./potentials.ts";

export const potentialTables: KindTables = {
  name: "potential",
  noun: "potential",
  nouns: "potentials",
  about:
    "External fields in addition to that of the particles, any number of tables (docs/potentials.md); isolated box only",
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
export function placedPotential(
  table: PotentialSettings,
  { size }: Pick<BoxSettings, "size">,
  G: number,
): ExternalPotential[] {
  const [x, y, z] = table.offset.map((distance) => 0.5 * size + distance);
  const record = potentialKinds.get(table.kind);
  const values = () => Object.fromEntries(Object.keys(record.keys).map((key) => [key, Number(table[key])]));
  const parts = "parts" in record ? record.parts(table as never, G) : [{ kind: table.kind, parameters: values() }];
  return parts.map(({ kind, parameters }) => ({ kind, centre: [x, y, z], parameters, ...changesOf(table) }));
}

/** A line each, of tables that become something else. */
export function potentialNotes(tables: readonly PotentialSettings[]): string[] {
  return tables.flatMap((table) => {
    const record = potentialKinds.get(table.kind);
    return "note" in record && record.note ? [`${table.name}: ${record.note(table as never)}`] : [];
  });
}

/** Potentials with the paths of their centres, which are in files; one is read once. Throws "input" and "usage". */
export async function withPaths<P extends { potential: ExternalPotential; path?: string | undefined }>(
  given: readonly P[],
  { end, loadText }: { end: number; loadText: ((file: string, what: string) => Promise<string>) | undefined },
): Promise<P[]> {
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
  return given.map((one) => {
    const path = paths.get(one.path ?? "");
    return path ? { ...one, potential: { ...one.potential, path } } : one;
  });
}

const COLUMNS = 4;
const HEADING = /^\s*[\p{L}"']/u;

/**
 * Rows of t, x, y, z in deck units, separated by blanks, tabs or commas, # before a comment, words in a first row.
 * `where`: for messages; `end`: time up to which the centre has to be known. Throws "input".
 */
function centrePath(text: string, where: string, end: number): CentrePath {
  const times: number[] = [];
  const points: number[][] = [];
  const fail = (what: string): never => {
    throw new GravmeshError("input", `${where}: ${what}`);
  };
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/#.*/, "").trim();
    if (line === "" || (times.length === 0 && HEADING.test(line))) continue;
    const numbers = line.split(/[\s,;]+/).map(Number);
    if (numbers.length !== COLUMNS || !numbers.every(Number.isFinite)) {
      fail(`line ${index + 1}: expected four numbers t x y z, found ${JSON.stringify(cut(line))}`);
    }
    const [time, ...point] = numbers;
    const last = times.at(-1);
    if (last !== undefined && !(time > last)) {
      fail(`line ${index + 1}: expected a time after ${last}, found ${time}; sort the rows, each time once`);
    }
    times.push(time);
    points.push(point);
  }
  if (times.length < 2) fail(`expected at least two rows t x y z, found ${times.length}`);
  const last = times[times.length - 1];
  if (times[0] > 0 || last < end) {
    fail(
      `expected times from 0 to time.end = ${end}, found ${times[0]} to ${last}; they are in the deck's unit of time`,
    );
  }
  return { times, points };
}

/** `integrator`: of a direct sum. */
export function potentialProblems(
  tables: readonly PotentialSettings[],
  { size, boundary }: BoxSettings,
  integrator?: string,
): Problem[] {
  const withMass = tables.map((table) => ({ ...table, hasMass: "mass" in potentialKinds.get(table.kind).keys }));
  const each = tables.flatMap((table, index) => {
    const { kind, offset } = table;
    const at = (key: string) => ["potential", index, key];
    if (boundary === "periodic") {
      const hint = 'Leave it out, or use boundary = "isolated"';
      return [mismatch(at("kind"), 'no [[potential]] table in a box with boundary = "periodic"', kind, hint)];
    }
    const inside = `a centre inside the box, less than box.size/2 = ${shortest(size / 2)} from its centre on each axis`;
    const outside = Math.max(...offset.map(Math.abs)) >= size / 2;
    const record = potentialKinds.get(kind);
    const jumps = integrator === "hermite-6" && record.snapJumps === true;
    return [
      ...mismatchIf(outside, at("offset"), inside, offset),
      ...mismatchIf(jumps, at("kind"), 'one whose snap doesn\'t jump with direct.integrator = "hermite-6"', kind),
      ...(record.problems?.(table as never, ["potential", index]) ?? []),
      ...changeProblems(table, ["potential", index]),
    ];
  });
  return [...each, ...orbitProblems(withMass)];
}
