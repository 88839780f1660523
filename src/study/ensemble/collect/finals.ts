/** What each member ends with: numbers of summary.json, of the last row of each of its tables, of its haloes. */
import type { VariedValue } from "../ensemble.ts";
import type { MemberSummary } from "../member-state.ts";
import type { CollectedMember } from "./members.ts";
import { type MemberQuantity, TABLES, type UnitNames } from "./tables.ts";

export interface Final extends MemberQuantity {
  name: string;
  /** [members]; no number where a member hasn't got it. */
  values: Float64Array;
}

type OfSummary = (summary: MemberSummary) => number | null | undefined;

const OF_SUMMARY: Readonly<Record<string, MemberQuantity & { of: OfSummary }>> = {
  particles: { unit: "", meaning: "number of particles", of: (s) => s.particles },
  mass: { unit: "mass", meaning: "their mass in all", of: (s) => s.mass },
  steps: { unit: "", meaning: "steps taken", of: (s) => s.steps },
  wall_seconds: { unit: "s", meaning: "wall time of the run, all sessions together", of: (s) => s.wallSeconds },
  largest_energy_error: {
    ...{ unit: "", meaning: "the largest size of energy_error in diagnostics.csv" },
    of: (s) => s.largestEnergyError,
  },
  warnings: { unit: "", meaning: "doubts that the run has about its numbers", of: (s) => s.warnings.length },
};

export function finalsOf(members: readonly CollectedMember[], units: UnitNames): Final[] {
  const column = (of: (member: CollectedMember) => number | null | undefined) =>
    Float64Array.from(members, (member) => of(member) ?? Number.NaN);
  const summaries = Object.entries(OF_SUMMARY).map(([name, { unit, meaning, of }]) => ({
    ...{ name, meaning, unit: unit === "mass" ? units.mass : unit },
    values: column(({ summary }) => summary && of(summary)),
  }));
  const last = TABLES.flatMap((table) => {
    const names = new Set(members.flatMap(({ tables }) => tables[table.name]?.names ?? []));
    const prefix = table.name === "diagnostics" ? "" : `${table.name}.`;
    const time = {
      ...{ name: `${prefix}time`, ...table.quantity("time", units) },
      values: column(({ tables }) => tables[table.name]?.times.at(-1)),
    };
    const columns = [...names].map((name) => ({
      ...{ name: `${prefix}${name}`, ...table.quantity(name, units) },
      values: column(({ tables }) => tables[table.name]?.last[tables[table.name]!.names.indexOf(name)]),
    }));
    return names.size === 0 ? [] : [time, ...columns];
  });
  const haloes = [
    { name: "haloes", unit: "", meaning: "haloes found at the end", values: column((m) => m.haloes?.count) },
    { name: "heaviest_halo", unit: units.mass, meaning: "its mass", values: column((m) => m.haloes?.heaviest) },
  ];
  return [...summaries, ...last, ...(members.some((m) => m.haloes) ? haloes : [])];
}

/** An entry of the deck that differs between members: its value in each; undefined where a member doesn't name it. */
export type Parameter = ReturnType<typeof parametersOf>[number];

export function parametersOf(members: readonly CollectedMember[]) {
  const keys = [...new Set(members.flatMap(({ values }) => Object.keys(values)))];
  return keys.map((key) => ({
    key,
    values: members.map(({ values }): VariedValue | undefined => values[key]),
    /** A seed of random numbers: nothing depends on it but chance. */
    isSeed: /(^|\.)seed$/i.test(key),
  }));
}

/** A parameter as numbers, or undefined for one of texts or switches. */
export function asNumbers({ values }: Parameter): Float64Array | undefined {
  const isNumeric = values.every((value) => value === undefined || typeof value === "number");
  return isNumeric ? Float64Array.from(values, (value = Number.NaN) => Number(value)) : undefined;
}
