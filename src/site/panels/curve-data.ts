/**
 * The live curves as data: what the diagnostics columns draw, the drift of the angular momentum, the strength of a bar,
 * P(k); of one pane or of both in the same chart.
 */

import type { Kept } from "../../diagnostics/columns/column.ts";
import { type ColumnChart, worded } from "../../diagnostics/columns/column.ts";
import { columns } from "../../diagnostics/columns.ts";
import { csvText } from "../../io/csv.ts";
import { seriesTone, type Tone } from "../../page/colours.ts";
import { shortNumber } from "../../page/numbers.ts";
import { axisLabel } from "../../page/run-figures.ts";
import { isComoving, unit, volumeUnit } from "../../page/units.ts";
import type { Pane, PaneRow, PaneState } from "../stage.ts";

/** A pane as its curves need it. */
export interface CurvedPane {
  pane: Pane;
  state: PaneState;
  rows: readonly PaneRow[];
  bars: readonly { time: number; strength: number }[];
  spectrum: { time: number; k: readonly number[]; power: readonly number[] } | undefined;
}

export interface CurveSeries {
  label: string;
  tone: Tone;
  dashed: boolean;
  /** Drawn stronger than others of its chart. */
  main: boolean;
  /** One a place on the horizontal axis; null where it has none. */
  values: readonly (number | null)[];
}

export interface CurveChart {
  id: string;
  title: string;
  about: string;
  x: { label: string; log: boolean; values: readonly number[] };
  y: { label: string; log: boolean; domain?: readonly [number, number] };
  /** Where a straight line shows what is expected. */
  rule?: number;
  series: readonly CurveSeries[];
}

type Point = readonly [x: number, y: number];
type Line = Omit<CurveSeries, "values"> & { points: readonly Point[] };

/** On one horizontal axis, which all times or wave numbers are on. */
function aligned(lines: readonly Line[], logX: boolean): Pick<CurveChart, "series"> & { values: number[] } {
  const shows = (x: number) => Number.isFinite(x) && (!logX || x > 0);
  const values = [...new Set(lines.flatMap(({ points }) => points.map(([x]) => x)))]
    .filter(shows)
    .sort((a, b) => a - b);
  const series = lines.map(({ points, ...line }) => {
    const at = new Map(points);
    return { ...line, values: values.map((x) => at.get(x) ?? null) };
  });
  return { values, series };
}

const nameOf = (pane: Pane) => pane.toUpperCase();

/** How a pane's only curve looks. */
function lookOf({ pane }: CurvedPane, several: boolean, label: string): Omit<Line, "points"> {
  const second = pane === "b";
  return { label: several ? nameOf(pane) : label, tone: second ? "second" : "accent", dashed: second, main: true };
}

function timeLabel({ units }: PaneState): string {
  return isComoving(units.time) ? "Scale factor" : `Time${unit(units.time)}`;
}

/** What is asked of every chart: does it belong to such a run? */
function isMeant({ only }: ColumnChart, { periodic, units }: PaneState): boolean {
  return only === "isolated" ? !periodic : !(only && isComoving(units.time));
}

const numberAt = (row: PaneRow, name: string, index: number): number | undefined =>
  [(row as Readonly<Record<string, number | readonly number[] | undefined>>)[name]].flat()[index];

function pointsOf(rows: readonly PaneRow[], name: string, index: number): Point[] {
  return rows.flatMap((row) => {
    const value = numberAt(row, name, index);
    return value === undefined || !Number.isFinite(value) ? [] : [[row.time, value] as const];
  });
}

function columnChart(name: string, chart: ColumnChart, panes: readonly CurvedPane[]): CurveChart | undefined {
  const [{ state }] = panes;
  const words = worded(chart, { ...state, comoving: isComoving(state.units.time) });
  const { title, about, curves, domain, rule } = words;
  const several = panes.length > 1;
  const lines = panes.flatMap((pane): Line[] => {
    if (!curves) return [{ ...lookOf(pane, several, words.quantity), points: pointsOf(pane.rows, name, 0) }];
    return curves.flatMap((curve, index): Line[] => {
      if (several && !curve.few) return [];
      const mark = several ? `${nameOf(pane.pane)} ${curve.label}` : curve.label;
      const look = { label: mark, tone: seriesTone(index), dashed: pane.pane === "b", main: curve.main ?? false };
      return [{ ...look, points: pointsOf(pane.rows, name, index) }];
    });
  });
  return timeChart(state, {
    ...{ id: name, title, about, lines },
    y: { label: axisLabel(words, state.units), log: words.scale === "log", ...(domain && { domain }) },
    ...(rule !== undefined && { rule }),
  });
}

type TimeChart = Omit<CurveChart, "x" | "series"> & { lines: readonly Line[] };

/** Undefined without two points: a curve is none before. */
function timeChart(state: PaneState, { lines, ...chart }: TimeChart): CurveChart | undefined {
  if (!lines.some(({ points }) => points.length > 1)) return undefined;
  const { values, series } = aligned(lines, false);
  return { ...chart, series, x: { label: timeLabel(state), log: false, values } };
}

/** What the angular momentum's drift is, by the shape of the field. */
const SPIN: Record<Kept["field"], string> = {
  none: "drift of the total angular momentum",
  central: "drift of the total angular momentum, which the external field about the centre keeps,",
  axial: "changed by external potentials, which keep L_z alone: no error; the total",
  any: "changed by external potentials: no error; the total",
};

/** |L − L₀|, of isolated boxes: a periodic one conserves none. */
function angularMomentumChart(panes: readonly CurvedPane[]): CurveChart | undefined {
  const [{ state }] = panes;
  if (state.periodic) return undefined;
  const { mass, length, velocity } = state.units;
  const unitOf = [mass, length, velocity].filter((part) => part !== "").join(" ");
  const sizes = panes.flatMap(({ rows }) => (rows[0]?.angularMomentum ? [Math.hypot(...rows[0].angularMomentum)] : []));
  const lines = panes.map((pane): Line => {
    const first = pane.rows[0]?.angularMomentum;
    const points = pane.rows.flatMap(({ time, angularMomentum }): Point[] =>
      first && angularMomentum ? [[time, Math.hypot(...angularMomentum.map((l, axis) => l - first[axis]))]] : [],
    );
    return { ...lookOf(pane, panes.length > 1, "Angular momentum drift"), points };
  });
  return timeChart(state, {
    ...{ id: "angularMomentum", title: "Angular momentum", lines },
    about: `${SPIN[state.field ?? "none"]} from its first value, |L₀| = ${sizes.map((size) => shortNumber(size)).join(" and ")}`,
    y: { label: `|L − L₀|${unit(unitOf)}`, log: false, domain: [0, 0] },
  });
}

function barChart(panes: readonly CurvedPane[]): CurveChart | undefined {
  const lines = panes.map((pane): Line => {
    const points = pane.bars.map(({ time, strength }): Point => [time, strength]);
    return { ...lookOf(pane, panes.length > 1, "Bar strength"), points };
  });
  return timeChart(panes[0].state, {
    ...{ id: "bar", title: "Bar strength", about: "m = 2 wave of the disk's surface density over its mean", lines },
    y: { label: "A₂ / A₀", log: false, domain: [0, 0.2] },
  });
}

function spectrumChart(panes: readonly CurvedPane[]): CurveChart | undefined {
  const lines = panes.flatMap((pane): Line[] => {
    const { spectrum } = pane;
    if (!spectrum) return [];
    const points = spectrum.k.map((k, i): Point => [k, spectrum.power[i]]).filter(([k, power]) => k > 0 && power > 0);
    return [{ ...lookOf(pane, panes.length > 1, "P(k)"), points }];
  });
  if (!lines.some(({ points }) => points.length > 1)) return undefined;
  const { length } = panes[0].state.units;
  const { values, series } = aligned(lines, true);
  return {
    ...{ id: "spectrum", title: "Power spectrum", about: "of the density contrast, now", series },
    x: { label: `k [1/${length.includes("/") ? `(${length})` : length || "length"}]`, log: true, values },
    y: { label: `P(k) [${volumeUnit(panes[0].state.units)}]`, log: true },
  };
}

/** The charts that these panes have something for, in the order of the columns. */
export function curveCharts(panes: readonly CurvedPane[]): CurveChart[] {
  const shown = panes.filter(({ state }) => state.status !== "empty");
  if (shown.length === 0) return [];
  const ofColumns = columns.records.map(({ name, chart }) =>
    chart && shown.every(({ state }) => isMeant(chart, state)) ? columnChart(name, chart, shown) : undefined,
  );
  const others = [angularMomentumChart(shown), barChart(shown), spectrumChart(shown)];
  return [...ofColumns, ...others].filter((chart) => chart !== undefined);
}

/** A chart's numbers as csv: its horizontal axis, then a column a curve. */
export function chartCsv({ title, x, y, series }: CurveChart): string {
  const rows = x.values.map((value, i) => [value, ...series.map(({ values }) => values[i])]);
  return csvText([x.label, ...series.map(({ label }) => label)].map(field), rows, `${title}: ${y.label}`);
}

const field = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Every so many of `count` places, that no more than `most` are shown; the last one always is. */
export function thinned(count: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: count }, (_, i) => i).filter((i) => i === count - 1 || i % every === 0);
}

/** The values that are known at place `index`, or at the nearest one before: times of two panes needn't be the same. */
export function valuesAt({ series }: CurveChart, index: number): (number | null)[] {
  return series.map(({ values }) => {
    for (let i = index; i >= 0; i--) if (values[i] !== null && values[i] !== undefined) return values[i];
    return null;
  });
}

/** "Time 1.2: Virial ratio 1.03"; for those who hear the chart. */
export function spoken(chart: CurveChart, index: number): string {
  const { x, series } = chart;
  if (x.values.length === 0) return "no values yet";
  const at = Math.min(Math.max(0, index), x.values.length - 1);
  const values = valuesAt(chart, at);
  const said = series.map(({ label }, i) => `${label} ${values[i] === null ? "none" : shortNumber(values[i])}`);
  return `${x.label} ${shortNumber(x.values[at])}: ${said.join(", ")}`;
}
