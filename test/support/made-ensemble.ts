/** An ensemble's folder as its members would leave it, made without running anything. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvText } from "../../src/run/io/csv.ts";
import type { VariedValue } from "../../src/study/ensemble/ensemble.ts";

/** What a member's folder holds; nothing of what is left out. */
export interface MadeMember {
  values: Record<string, VariedValue>;
  /** Of summary.json, over that of a complete run. */
  summary?: object;
  /** Text of its deck, and of files by name. */
  files?: Record<string, string>;
  /** Rows of diagnostics.csv, as `DIAGNOSTICS`. */
  rows?: readonly (readonly number[])[];
  /** Of each snapshot: its time, and rows of k, power and modes; bins are one wide. */
  spectra?: readonly { time: number; rows: readonly (readonly [number, number, number])[] }[];
}

export const DIAGNOSTICS = ["time", "step", "kinetic", "potential", "energy_error", "virial_ratio", "r50"];

export const MADE_SUMMARY = {
  ...{ status: "complete", particles: 3, time: 1, steps: 10, wallSeconds: 2, energyError: 1e-5 },
  ...{ largestEnergyError: 2e-5, momentumError: 1e-9, mass: 1, warnings: [] as string[] },
};

/** Writes the ensemble; its folder. */
export function makeEnsemble(folder: string, members: readonly MadeMember[]): string {
  mkdirSync(folder, { recursive: true });
  const name = (index: number) => `member_${String(index).padStart(3, "0")}`;
  const keys = [...new Set(members.flatMap(({ values }) => Object.keys(values)))];
  const record = {
    ...{ format: "gravmesh-ensemble-1", version: "0.1.0", title: "Made", scenario: "made", filesFrom: "/" },
    ...{ backend: "cpu", extensions: [], overrides: [], sampling: { kind: "grid" } },
    varied: keys.map((key) => ({ key, values: members.flatMap(({ values }) => values[key] ?? []) })),
    members: members.map(({ values }, index) => ({ index, folder: name(index), values })),
  };
  writeFileSync(join(folder, "ensemble.json"), JSON.stringify(record));
  for (const [index, { summary, files = {}, rows, spectra = [] }] of members.entries()) {
    const own = join(folder, name(index));
    const texts = { ...files };
    if (summary) texts["summary.json"] = JSON.stringify({ ...MADE_SUMMARY, ...summary });
    if (rows) texts["diagnostics.csv"] = csvText(DIAGNOSTICS, rows);
    for (const [snapshot, { time, rows }] of spectra.entries()) {
      const heads = ["k", "k_low", "k_high", "power", "modes", "shot_noise"];
      const lines = rows.map(([k, power, modes]) => [k, k - 0.5, k + 0.5, power, modes, 0.25]);
      texts[`power_${String(snapshot).padStart(3, "0")}.csv`] = csvText(heads, lines, `time ${time}; made`);
    }
    if (Object.keys(texts).length === 0) continue;
    mkdirSync(own, { recursive: true });
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(own, file), text);
  }
  return folder;
}
