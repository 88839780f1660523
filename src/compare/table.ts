/** A comparison as text: what is measured of a variant, three tables for the terminal, one for compare.csv; docs/compare.md lists the columns. */
import { bytesText } from "../base/bytes.ts";
import { csvText } from "../io/csv.ts";
import { fieldNote } from "../page/concern.ts";
import {
  cellsText,
  errorText,
  exponential,
  hundredths,
  inCells,
  inMilliseconds,
  large,
  maybe,
  mebibytes,
  milliseconds,
  percentage,
  prefixed,
  shortNumber,
  small,
  thousandths,
  withCommas,
} from "../page/numbers.ts";
import { table, wrapped } from "../page/text.ts";
import { momentInTerminal } from "../page/units.ts";
import type { CompareVariant, Comparison, DirectReference } from "./record.ts";

/** A number of a variant: its column in compare.csv, its row on the page, and its column in the terminal. */
export class Measure {
  constructor(
    readonly column: string,
    readonly name: string,
    readonly head: string,
    readonly value: (variant: CompareVariant) => number | null | undefined,
    readonly written: { onPage: (value: number) => string; inTerminal: (value: number) => string },
  ) {}
}

const ERROR = { onPage: small, inTerminal: exponential };
const SIGNED = { onPage: small, inTerminal: errorText };
/** For pages: a difference as a percentage, where that is readable. */
export function shareText(share: number): string {
  return share >= 1e-5 && share < 100 ? percentage(share) : small(share);
}

const SHARE = { onPage: shareText, inTerminal: exponential };
const TIME = { onPage: inMilliseconds, inTerminal: milliseconds };
const UPDATES = { onPage: (rate: number) => `${large(rate)}/s`, inTerminal: prefixed };
const BYTES = { onPage: mebibytes, inTerminal: bytesText };
const SOFTENING = { onPage: inCells, inTerminal: hundredths };
const K = { onPage: shortNumber, inTerminal: shortNumber };
const CELLS = { onPage: inCells, inTerminal: thousandths };

export const FIRST_STEP = [
  new Measure("potential_rms", "Potential, rms", "φ rms", ({ potential }) => potential?.rms, ERROR),
  new Measure("potential_max", "largest", "φ max", ({ potential }) => potential?.largest, ERROR),
  new Measure("acceleration_rms", "Acceleration, rms", "a rms", ({ acceleration }) => acceleration?.rms, ERROR),
  new Measure("acceleration_max", "largest", "a max", ({ acceleration }) => acceleration?.largest, ERROR),
];
export const DIRECT = (["start", "end"] as const).flatMap((moment) => {
  const [name, head] = moment === "start" ? ["First step", "start"] : ["End", "end"];
  const best = ({ direct }: CompareVariant) => direct[moment]?.best;
  return [
    new Measure(`direct_${moment}_rms`, `${name}, rms`, `${head} rms`, ({ direct }) => direct[moment]?.rms, SHARE),
    new Measure(`direct_${moment}_median`, "median", "median", ({ direct }) => direct[moment]?.median, SHARE),
    new Measure(`direct_${moment}_best_cells`, "own best softening", "best ε", (v) => best(v)?.cells, SOFTENING),
    new Measure(`direct_${moment}_best_rms`, "rms with that", "its rms", (v) => best(v)?.rms, SHARE),
  ];
});
export const END = [
  new Measure("position_rms_cells", "Distance of particles, rms", "distance", (v) => v.positionCells, CELLS),
];
export const SPECTRA = [
  new Measure("power_alike_k", "Power within 1 % up to k", "P to 1 %", (v) => v.spectra?.alikeTo, K),
  new Measure("correlation_k", "Correlation r ≥ 0.99 up to k", "r ≥ 0.99", (v) => v.spectra?.correlatedTo, K),
];
const MOMENTUM = new Measure("momentum_error", "Momentum error, end", "momentum", (v) => v.momentumError, ERROR);
const DRIVEN = new Measure("momentum_error", "Change of momentum, end", "momentum", (v) => v.momentumError, ERROR);
const CONSERVATION = [
  new Measure("energy_error", "Energy error, end", "energy", ({ energyError }) => energyError, SIGNED),
  new Measure("energy_error_max", "largest", "at most", ({ largestEnergyError }) => largestEnergyError, ERROR),
  MOMENTUM,
  new Measure("momentum_error_max", "largest", "at most", ({ largestMomentumError }) => largestMomentumError, ERROR),
];
/** With the words for a run in external potentials, where it is in some. */
export function conservation({ field }: Pick<Comparison, "field">): Measure[] {
  return CONSERVATION.map((one) => (one === MOMENTUM && field !== "none" ? DRIVEN : one));
}
export const STEP = new Measure("step_ms", "Wall time a step", "step", ({ millisecondsPerStep: ms }) => ms, TIME);
export const MEMORY = new Measure("memory_bytes", "Memory", "memory", ({ memoryBytes }) => memoryBytes, BYTES);
const PRICE = [
  new Measure(
    "particle_updates_per_second",
    "Particle updates",
    "updates/s",
    (v) => v.particleUpdatesPerSecond,
    UPDATES,
  ),
  MEMORY,
];

export function stageMeasures(variants: readonly CompareVariant[]): Measure[] {
  const names = new Set(variants.flatMap(({ stages }) => stages.map(({ stage }) => stage)));
  return [...names].map((name) => {
    const time = ({ stages }: CompareVariant) => stages.find(({ stage }) => stage === name)?.millisecondsPerStep;
    return new Measure(`${name}_ms`, name, name, time, TIME);
  });
}

export function costMeasures(variants: readonly CompareVariant[]): Measure[] {
  return [STEP, ...stageMeasures(variants), ...PRICE];
}

export function comparisonText(comparison: Comparison): string {
  const { variants, timeUnit, direct, verdict, notes } = comparison;
  const [first, ...others] = variants;
  const tableOf = (shown: readonly CompareVariant[], measures: readonly Measure[]) =>
    table(
      ["", ...measures.map(({ head }) => head)],
      shown.map((of) => [of.label, ...measures.map(({ value, written }) => maybe(value(of), written.inTerminal))]),
    );
  const parts = [
    `Against ${first.label}: potential φ and acceleration a of the particles at the first step,\n` +
      "in units of their rms; rms distance of the particles at the end, in cells",
    tableOf(others, [...FIRST_STEP, ...END]),
    ...(direct ? [directText(direct), tableOf(variants, DIRECT)] : []),
    ...spectraTable(variants).flatMap(({ heads, rows }) => [
      "Densities at the end by wavenumber: ratio of the power, and cross-correlation",
      table(
        heads,
        rows.map(({ name, cells }) => [name, ...cells]),
      ),
    ]),
    `Relative energy error and momentum ${comparison.field === "none" ? "error" : "change"}, at the end and at most${fieldNote(comparison.field, ";\n")}`,
    tableOf(variants, conservation(comparison)),
    "Wall time a step and per stage [ms], particle updates a second, memory",
    tableOf(variants, costMeasures(variants)),
  ];
  const stories = variants.flatMap(({ label, status, message, time }) => {
    if (status === "failed") return [`${label} failed: ${message}`];
    if (status === "interrupted") return [`${label} was stopped at ${momentInTerminal(time, timeUnit)}`];
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
export function spectraTable([{ label: first }, ...others]: readonly CompareVariant[]) {
  const found = others.flatMap(({ label, spectra }) => (spectra ? [{ label, ...spectra }] : []));
  if (found.length === 0) return [];
  const heads = ["k", ...found.flatMap(({ label }) => [`P ${label}/${first}`, "r"])];
  const rows = found[0].k.map((k, bin) => ({
    name: shortNumber(k),
    cells: found.flatMap(({ ratio, correlation }) => [ratio[bin].toFixed(3), correlation[bin].toFixed(4)]),
  }));
  return [{ heads, rows }];
}

function directText({ method, targets, softening, softeningCells }: DirectReference): string {
  const length = Number(softening.toPrecision(3));
  return (
    `Against the ${method} with a softening of ${cellsText(softeningCells)} (${length}), on ${targets} particles:\n` +
    "rms of |Δa| over the rms acceleration, median of |Δa|/|a|; the softening in cells of\nits own that a variant is nearest to, and the rms with that"
  );
}

/** compare.csv: a header, then a row a variant; empty fields where nothing was measured. */
export function comparisonCsv({ variants, varied }: Comparison): string {
  const keys = Object.keys(varied);
  const cost = [STEP, ...PRICE, ...stageMeasures(variants)];
  const measures = [...FIRST_STEP, ...DIRECT, ...SPECTRA, ...END, ...CONSERVATION, ...cost];
  const header = ["variant", ...keys, "status", "time", "steps", ...measures.map(({ column }) => column), "message"];
  const rows = variants.map((variant) => [
    ...[variant.label, ...keys.map((key) => variant.settings[key])],
    ...[variant.status, variant.time, variant.steps, ...measures.map(({ value }) => value(variant)), variant.message],
  ]);
  return csvText(header, rows);
}
