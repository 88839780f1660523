/** A comparison as text: the measures of a variant, three tables for the terminal, one for compare.csv; docs/compare.md lists the columns. */
import { bytesText } from "../../foundation/base/bytes.ts";
import { csvText } from "../../run/io/csv.ts";
import { clockOf, energyErrorInTerminal, fieldNote } from "../../run/page/concern.ts";
import {
  cellsText,
  exponentText,
  hundredths,
  inCells,
  inMilliseconds,
  large,
  mebibytes,
  milliseconds,
  percentage,
  prefixed,
  shortNumber,
  signedError,
  small,
  thousandths,
  withCommas,
} from "../../run/page/numbers.ts";
import { wrapped } from "../../run/page/text.ts";
import { momentInTerminal } from "../../run/page/units.ts";
import { type Quantity, type StudyTable, tableColumns, tableText } from "../table.ts";
import type { CompareVariant, Comparison, DirectReference, VariantResult } from "./record.ts";

/** A number of a variant by its column in compare.csv, its row on the page, and its column in the terminal. */
const measure = (
  column: string,
  name: string,
  label: string,
  of: (result: VariantResult) => number | null | undefined,
  written: Pick<Measure, "text" | "onPage">,
): Measure => ({ column, name, label, of: ({ result }) => of(result), ...written });

export type Measure = Quantity<CompareVariant>;

const ERROR = { onPage: small, text: exponentText };
const SIGNED = { onPage: small, text: signedError };
/** For pages: a difference as a percentage, where that is readable. */
export function shareText(share: number): string {
  return share >= 1e-5 && share < 100 ? percentage(share) : small(share);
}

const SHARE = { onPage: shareText, text: exponentText };
const TIME = { onPage: inMilliseconds, text: milliseconds };
const UPDATES = { onPage: (rate: number) => `${large(rate)}/s`, text: prefixed };
const BYTES = { onPage: mebibytes, text: bytesText };
const SOFTENING = { onPage: inCells, text: hundredths };
const K = { onPage: shortNumber, text: (k: number) => shortNumber(k) };
const CELLS = { onPage: inCells, text: thousandths };

export const FIRST_STEP = [
  measure("potential_rms", "Potential, rms", "φ rms", ({ potential }) => potential?.rms, ERROR),
  measure("potential_max", "largest", "φ max", ({ potential }) => potential?.largest, ERROR),
  measure("acceleration_rms", "Acceleration, rms", "a rms", ({ acceleration }) => acceleration?.rms, ERROR),
  measure("acceleration_max", "largest", "a max", ({ acceleration }) => acceleration?.largest, ERROR),
];
export const DIRECT = (["start", "end"] as const).flatMap((moment) => {
  const [name, head] = moment === "start" ? ["First step", "start"] : ["End", "end"];
  const best = ({ direct }: VariantResult) => direct[moment]?.best;
  return [
    measure(`direct_${moment}_rms`, `${name}, rms`, `${head} rms`, ({ direct }) => direct[moment]?.rms, SHARE),
    measure(`direct_${moment}_median`, "median", "median", ({ direct }) => direct[moment]?.median, SHARE),
    measure(`direct_${moment}_best_cells`, "own best softening", "best ε", (v) => best(v)?.cells, SOFTENING),
    measure(`direct_${moment}_best_rms`, "rms with that", "its rms", (v) => best(v)?.rms, SHARE),
  ];
});
export const END = [
  measure("position_rms_cells", "Distance of particles, rms", "distance", (v) => v.positionCells, CELLS),
];
export const SPECTRA = [
  measure("power_alike_k", "Power within 1 % up to k", "P to 1 %", (v) => v.spectra?.alikeTo, K),
  measure("correlation_k", "Correlation r ≥ 0.99 up to k", "r ≥ 0.99", (v) => v.spectra?.correlatedTo, K),
];
const MOMENTUM = measure("momentum_error", "Momentum error, end", "momentum", (v) => v.momentumError, ERROR);
const DRIVEN = measure("momentum_error", "Change of momentum, end", "momentum", (v) => v.momentumError, ERROR);
const CONSERVATION = [
  measure("energy_error", "Energy error, end", "energy", ({ energyError }) => energyError, SIGNED),
  measure("energy_error_max", "largest", "at most", ({ largestEnergyError }) => largestEnergyError, ERROR),
  MOMENTUM,
  measure("momentum_error_max", "largest", "at most", ({ largestMomentumError }) => largestMomentumError, ERROR),
];
/** With the words for a run in external potentials, where it is in some. */
export function conservation({ field }: Pick<Comparison, "field">): Measure[] {
  return CONSERVATION.map((one) => (one === MOMENTUM && field !== "none" ? DRIVEN : one));
}
export const STEP = measure("step_ms", "Wall time a step", "step", ({ millisecondsPerStep: ms }) => ms, TIME);
export const MEMORY = measure("memory_bytes", "Memory", "memory", ({ memoryBytes }) => memoryBytes, BYTES);
const PRICE = [
  measure("particle_updates_per_second", "Particle updates", "updates/s", (v) => v.particleUpdatesPerSecond, UPDATES),
  MEMORY,
];

export function stageMeasures(variants: readonly CompareVariant[]): Measure[] {
  const names = new Set(variants.flatMap(({ result }) => result.stages.map(({ stage }) => stage)));
  return [...names].map((name) => {
    const time = ({ stages }: VariantResult) => stages.find(({ stage }) => stage === name)?.millisecondsPerStep;
    return measure(`${name}_ms`, name, name, time, TIME);
  });
}

export function costMeasures(variants: readonly CompareVariant[]): Measure[] {
  return [STEP, ...stageMeasures(variants), ...PRICE];
}

/** What has become of a variant, for its line in the terminal. */
export function briefText({ result }: CompareVariant, timeUnit: string): string {
  const { steps, millisecondsPerStep: ms, energyError, conserved } = result;
  const error = (of: number) => `ΔE/E ${energyErrorInTerminal(of, clockOf({ timeUnit, conserved }))}`;
  return [
    `${steps} steps`,
    ...(ms === null ? [] : [`${ms.toPrecision(3)} ms a step`]),
    ...(energyError === null ? [] : [error(energyError)]),
  ].join("  ");
}

export function comparisonText(comparison: Comparison): string {
  const { cases: variants, timeUnit, direct, verdict, notes } = comparison;
  const [first, ...others] = variants;
  const tableOf = (shown: readonly CompareVariant[], measures: readonly Measure[]) =>
    tableText({ title: "", ...tableColumns(measures, shown, ({ label }) => label) });
  const parts = [
    `Against ${first.label}: potential φ and acceleration a of the particles at the first step,\n` +
      "in units of their rms; rms distance of the particles at the end, in cells",
    tableOf(others, [...FIRST_STEP, ...END]),
    ...(direct ? [directText(direct), tableOf(variants, DIRECT)] : []),
    ...spectraTable(variants).flatMap((table) => [
      "Densities at the end by wavenumber: ratio of the power, and cross-correlation",
      tableText(table),
    ]),
    `Relative energy error and momentum ${comparison.field === "none" ? "error" : "change"}, at the end and at most${fieldNote(comparison.field, ";\n")}`,
    tableOf(variants, conservation(comparison)),
    "Wall time a step and per stage [ms], particle updates a second, memory",
    tableOf(variants, costMeasures(variants)),
  ];
  const stories = variants.flatMap(({ label, status, message, result }) => {
    if (status === "failed") return [`${label} failed: ${message}`];
    if (status === "interrupted") return [`${label} was stopped at ${momentInTerminal(result.time, timeUnit)}`];
    return status === "waiting" ? [`${label} was not run`] : [];
  });
  return [
    ...parts,
    ...stories,
    ...notes.map((note) => wrapped(withCommas(note))),
    ...(verdict ? [wrapped(verdict)] : []),
  ].join("\n\n");
}

/** By wavenumber, the power over the first variant's and the correlation with it; none in isolated boxes. */
export function spectraTable([{ label: first }, ...others]: readonly CompareVariant[]): StudyTable[] {
  const found = others.flatMap(({ label, result: { spectra } }) => (spectra ? [{ label, ...spectra }] : []));
  if (found.length === 0) return [];
  const columns = ["k", ...found.flatMap(({ label }) => [`P ${label}/${first}`, "r"])];
  const rows = found[0].k.map((k, bin) => [
    shortNumber(k),
    ...found.flatMap(({ ratio, correlation }) => [ratio[bin].toFixed(3), correlation[bin].toFixed(4)]),
  ]);
  return [{ title: "", columns, rows }];
}

function directText({ method, targets, softening, softeningCells }: DirectReference): string {
  const length = Number(softening.toPrecision(3));
  return (
    `Against the ${method} with a softening of ${cellsText(softeningCells)} (${length}), on ${targets} particles:\n` +
    "rms of |Δa| over the rms acceleration, median of |Δa|/|a|; the softening in cells of\nits own that a variant is nearest to, and the rms with that"
  );
}

/** compare.csv: a header, then a row a variant; empty fields where nothing was measured. */
export function comparisonCsv({ cases, varied }: Comparison): string {
  const keys = Object.keys(varied);
  const cost = [STEP, ...PRICE, ...stageMeasures(cases)];
  const measures = [...FIRST_STEP, ...DIRECT, ...SPECTRA, ...END, ...CONSERVATION, ...cost];
  const header = [
    "variant",
    ...keys,
    "status",
    "time",
    "steps",
    ...measures.map(({ column = "" }) => column),
    "message",
  ];
  const rows = cases.map((one) => [
    ...[one.label, ...keys.map((key) => one.parameters[key])],
    ...[one.status, one.result.time, one.result.steps, ...measures.map(({ of }) => of(one)), one.message],
  ]);
  return csvText(header, rows);
}
