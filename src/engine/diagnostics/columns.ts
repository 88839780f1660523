/** The list of diagnostics columns, which diagnostics.csv, events, report and docs/diagnostics.md follow. */

import { max } from "d3-array";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Registry } from "../../foundation/base/registry.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { type ColumnMoment, type DiagnosticsColumn, plainColumn, sumColumn } from "./columns/column.ts";
import { kinetic, potential, relativeEnergyError, total } from "./columns/energies.ts";
import { lagrangianRadiiColumn } from "./columns/lagrangian-radii.ts";
import { angularMomentum, centreOfMassColumn, momentum, momentumError } from "./columns/momenta.ts";
import { virialRatio } from "./columns/virial-ratio.ts";

const outside = sumColumn("outside", "outside", "", "Particles outside an isolated mesh");

const time = plainColumn("time", "time", "Time; on the comoving clock the scale factor", (moment) => moment.time);

const step = plainColumn("step", "", "Steps taken", (moment) => moment.step);

const COLUMNS = [
  ...([time, step, kinetic, potential, total, relativeEnergyError] as const),
  ...([
    momentum,
    momentumError,
    angularMomentum,
    centreOfMassColumn,
    virialRatio,
    outside,
    lagrangianRadiiColumn,
  ] as const),
] as const;

type Column = (typeof COLUMNS)[number];
type Values = { [C in Column as C["name"]]: ReturnType<C["of"]> };

/** The sums of a state, and the values of all columns; docs/diagnostics.md has their meanings and units. */
export type Diagnostics = Omit<Sums, keyof Values> & Values;

/** A row of diagnostics.csv: what of it is in the file. */
export type DiagnosticsRow = { [C in Column as C["heads"] extends null ? never : C["name"]]: ReturnType<C["of"]> };

export const columns = new Registry<DiagnosticsColumn>("diagnostics column", COLUMNS);

/** Adds a column to the diagnostics of all runs of this process. Throws "usage" when its name or a head is taken. */
export function registerColumn(column: DiagnosticsColumn): void {
  const taken = [column.heads ?? []].flat().find((head) => columnHeads().includes(head));
  if (taken !== undefined) {
    throw new GravmeshError("usage", `diagnostics column "${column.name}": "${taken}" is in diagnostics.csv already`);
  }
  columns.add(column);
}

const inFile = () => columns.records.filter(({ heads }) => heads !== null);

/** The heads of diagnostics.csv, in order: time, step, … r90. */
export function columnHeads(): string[] {
  return inFile().flatMap(({ heads }) => heads!);
}

export function diagnosticsOf(moment: ColumnMoment): Diagnostics {
  const values = columns.records.map((column) => [column.name, column.of(moment)]);
  return { ...moment.sums, ...Object.fromEntries(values) };
}

/** The numbers of a row, as `columnHeads` names them. */
export function numbersOf(row: DiagnosticsRow): number[] {
  return inFile().flatMap(({ name }) => (row as Record<string, number | readonly number[]>)[name]);
}

export function rowOf(numbers: readonly number[]): DiagnosticsRow {
  let at = 0;
  const next = (heads: DiagnosticsColumn["heads"]) =>
    Array.isArray(heads) ? heads.map(() => numbers[at++]) : numbers[at++];
  return Object.fromEntries(inFile().map(({ name, heads }) => [name, next(heads)])) as DiagnosticsRow;
}

/** The first number of a row that isn't one, under its head in diagnostics.csv, or its name where it isn't in the file. */
export function nonFinite(row: Diagnostics): { column: string; value: number } | undefined {
  const values = row as unknown as Record<string, number | readonly number[]>;
  for (const { name, heads } of columns.records) {
    const numbers = [values[name]].flat();
    const at = numbers.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) return { column: [heads ?? name].flat()[at], value: numbers[at] };
  }
  return undefined;
}

/** Throws "numerical" when a column is no number; `cause` says why, where it is known. */
export function requireFiniteRow(row: Diagnostics, cause?: string): void {
  const found = nonFinite(row);
  if (!found) return;
  const { time, step } = row;
  const advice = step === 0 ? "look for it in the initial conditions and their units" : "try a shorter time.step";
  throw new GravmeshError(
    "numerical",
    `diagnostics at time ${time}, step ${step}: expected a number for ${found.column}, found ${found.value}` +
      `${cause ? `: ${cause}` : ""}; ${advice}`,
  );
}

/** In words; the first particle that is nowhere, or else the largest numbers. */
export function causeOf({ count, positions, velocities, masses, components }: ParticleSet): string {
  const quantities = [
    { name: "position", values: positions, width: 3 },
    { name: "velocity", values: velocities, width: 3 },
    { name: "mass", values: masses, width: 1 },
  ] as const;
  for (const { name, values, width } of quantities) {
    for (let k = 0; k < width * count; k++) {
      if (Number.isFinite(values[k])) continue;
      const particle = Math.floor(k / width);
      const owner = components.find(({ first, count: n }) => particle >= first && particle < first + n);
      const of = owner ? ` of ${owner.name}` : "";
      return `the ${name} of particle ${particle}${of} is ${values.slice(width * particle, width * (particle + 1)).join(", ")}`;
    }
  }
  const sizes = quantities.map(({ name, values }) => `${name} ${(max(values, Math.abs) ?? 0).toPrecision(3)}`);
  return `sums of products overflow; the largest numbers are ${sizes.join(", ")}`;
}
