/** The live curves as data, of one pane or of both in the same chart. */

import { type ColumnChart, type ConservedQuantity, worded } from "../../../engine/diagnostics/columns/column.ts";
import { columns } from "../../../engine/diagnostics/columns.ts";
import { csvLine } from "../../../run/io/csv.ts";
import { seriesTone, type Tone } from "../../../run/page/colours.ts";
import { shortNumber } from "../../../run/page/numbers.ts";
import { axisLabel, isMeantFor, timeAxis } from "../../../run/page/run-figures.ts";
import { isComoving, unit, volumeUnit } from "../../../run/page/units.ts";
import type { LiveBar, LiveRotation, LiveSpectrum } from "../../../studio/live/protocol.ts";
import type { Pane, PaneRow, PaneState } from "../stage.ts";

export interface CurvedPane {
  pane: Pane;
  state: PaneState;
  rows: readonly PaneRow[];
  bars: readonly LiveBar[];
  spectrum: LiveSpectrum | undefined;
  rotation: LiveRotation | undefined;
}

export interface CurveSeries {
  label: string;
  tone: Tone;
  dashed: boolean;
  /** Drawn stronger than others of its chart. */
  main: boolean;
  /** By the places of the horizontal axis; null where the curve has none. */
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

function lookOf({ pane }: CurvedPane, several: boolean, label: string): Omit<Line, "points"> {
  const second = pane === "b";
  return {
    label: several ? pane.toUpperCase() : label,
    tone: second ? "second" : "accent",
    dashed: second,
    main: true,
  };
}

const linesOf = (panes: readonly CurvedPane[], label: string, points: (pane: CurvedPane) => Point[]): Line[] =>
  panes.map((pane) => ({ ...lookOf(pane, panes.length > 1, label), points: points(pane) }));

const timeAxisOf = ({ units }: PaneState) => ({ ...timeAxis(units, isComoving(units.time)), log: false });

function pointsOf(rows: readonly PaneRow[], name: string, index: number): Point[] {
  return rows.flatMap((row) => {
    const value = [(row as Readonly<Record<string, number | readonly number[] | undefined>>)[name]].flat()[index];
    return value === undefined || !Number.isFinite(value) ? [] : [[row.time, value] as const];
  });
}

function columnChart(name: string, chart: ColumnChart, panes: readonly CurvedPane[]): CurveChart | undefined {
  const [{ state }] = panes;
  const words = worded(chart, { ...state, comoving: isComoving(state.units.time) });
  const { title, about, curves, domain, rule } = words;
  const several = panes.length > 1;
  const ofCurves = ({ pane, rows }: CurvedPane) =>
    (curves ?? []).flatMap(({ label, few, main = false }, index): Line[] => {
      if (several && !few) return [];
      const look = { label: several ? `${pane.toUpperCase()} ${label}` : label, tone: seriesTone(index), main };
      return [{ ...look, dashed: pane === "b", points: pointsOf(rows, name, index) }];
    });
  const single = () => linesOf(panes, words.quantity, ({ rows }) => pointsOf(rows, name, 0));
  const lines = curves ? panes.flatMap(ofCurves) : single();
  return chartOf(timeAxisOf(state), {
    ...{ id: name, title, about, lines },
    y: { label: axisLabel(words, state.units), log: words.scale === "log", ...(domain && { domain }) },
    ...(rule !== undefined && { rule }),
  });
}

type Chart = Omit<CurveChart, "x" | "series"> & { lines: readonly Line[] };

/** All curves on one horizontal axis. Undefined as long as no curve has two points. */
function chartOf(x: Omit<CurveChart["x"], "values">, { lines, ...chart }: Chart): CurveChart | undefined {
  if (!lines.some(({ points }) => points.length > 1)) return undefined;
  const shows = (place: number) => Number.isFinite(place) && (!x.log || place > 0);
  const places = new Set(lines.flatMap(({ points }) => points.map(([place]) => place)));
  const values = [...places].filter(shows).sort((a, b) => a - b);
  const series = lines.map(({ points, ...line }) => {
    const at = new Map(points);
    return { ...line, values: values.map((place) => at.get(place) ?? null) };
  });
  return { ...chart, series, x: { ...x, values } };
}

/** The drift of the angular momentum in words, by the shape of the field. */
const SPIN: Record<ConservedQuantity["field"], string> = {
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
  const lines = linesOf(panes, "Angular momentum drift", ({ rows }) => {
    const first = rows[0]?.angularMomentum;
    return rows.flatMap(({ time, angularMomentum }): Point[] =>
      first && angularMomentum ? [[time, Math.hypot(...angularMomentum.map((l, axis) => l - first[axis]))]] : [],
    );
  });
  return chartOf(timeAxisOf(state), {
    ...{ id: "angularMomentum", title: "Angular momentum", lines },
    about: `${SPIN[state.field ?? "none"]} from its first value, |L₀| = ${sizes.map((size) => shortNumber(size)).join(" and ")}`,
    y: { label: `|L − L₀|${unit(unitOf)}`, log: false, domain: [0, 0] },
  });
}

function barChart(panes: readonly CurvedPane[]): CurveChart | undefined {
  const lines = linesOf(panes, "Bar strength", ({ bars }) => bars.map(({ time, strength }) => [time, strength]));
  return chartOf(timeAxisOf(panes[0].state), {
    ...{ id: "bar", title: "Bar strength", about: "m = 2 wave of the disk's surface density over its mean", lines },
    y: { label: "A₂ / A₀", log: false, domain: [0, 0.2] },
  });
}

/** ⟨v_φ⟩ of each pane, and thinner v_c. */
function rotationChart(panes: readonly CurvedPane[]): CurveChart | undefined {
  const [{ state }] = panes;
  const lines = panes.flatMap((pane): Line[] =>
    (["rotation", "circular"] as const).map((what) => {
      const { radius = [], [what]: speed = [] } = pane.rotation ?? {};
      const name = what === "rotation" ? "⟨v_φ⟩" : "v_c";
      const look = lookOf(pane, false, panes.length > 1 ? `${pane.pane.toUpperCase()} ${name}` : name);
      return { ...look, main: what === "rotation", points: radius.map((R, i): Point => [R, speed[i]]) };
    }),
  );
  return chartOf(
    { label: `R${unit(state.units.length)}`, log: false },
    {
      ...{
        id: "rotation",
        title: "Rotation curve",
        about: "mean rotation of the disk, and circular speed, now",
        lines,
      },
      y: { label: `Speed${unit(state.units.velocity)}`, log: false, domain: [0, 0] },
    },
  );
}

function spectrumChart(panes: readonly CurvedPane[]): CurveChart | undefined {
  const points = ({ k, power }: LiveSpectrum) =>
    k.map((at, i): Point => [at, power[i]]).filter(([x, y]) => x > 0 && y > 0);
  const all = linesOf(panes, "P(k)", ({ spectrum }) => (spectrum ? points(spectrum) : []));
  const lines = all.filter((_, i) => panes[i].spectrum);
  const { length } = panes[0].state.units;
  const x = { label: `k [1/${length.includes("/") ? `(${length})` : length || "length"}]`, log: true };
  return chartOf(x, {
    ...{ id: "spectrum", title: "Power spectrum", about: "of the density contrast, now", lines },
    y: { label: `P(k) [${volumeUnit(panes[0].state.units)}]`, log: true },
  });
}

/** The charts that these panes have something for, in the order of the columns. */
export function curveCharts(panes: readonly CurvedPane[]): CurveChart[] {
  const shown = panes.filter(({ state }) => state.status !== "empty");
  if (shown.length === 0) return [];
  const ofColumns = columns.records.map(({ name, chart }) =>
    chart && shown.every(({ state: { periodic, units } }) => isMeantFor(chart, periodic, isComoving(units.time)))
      ? columnChart(name, chart, shown)
      : undefined,
  );
  const others = [angularMomentumChart(shown), barChart(shown), rotationChart(shown), spectrumChart(shown)];
  return [...ofColumns, ...others].filter((chart) => chart !== undefined);
}

export function chartCsv({ title, x, y, series }: CurveChart): string {
  const rows = x.values.map((value, i) => [value, ...series.map(({ values }) => values[i])]);
  const heads = [x.label, ...series.map(({ label }) => label)];
  return `# ${title}: ${y.label}\n${[heads, ...rows].map(csvLine).join("")}`;
}
/** Every k-th of `count` places, so that no more than `most` are shown; the last one always is. */
export function thinnedPlaces(count: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: count }, (_, i) => i).filter((i) => i === count - 1 || i % every === 0);
}

/** The values at place `index`, or at the nearest one before that has some: times of two panes needn't be the same. */
export function valuesAt({ series }: CurveChart, index: number): (number | null)[] {
  return series.map(({ values }) => {
    for (let i = index; i >= 0; i--) if (values[i] !== null && values[i] !== undefined) return values[i];
    return null;
  });
}

/** For those who hear the chart: "Time 1.2: Virial ratio 1.03". */
export function spoken(chart: CurveChart, index: number): string {
  const { x, series } = chart;
  if (x.values.length === 0) return "no values yet";
  const at = Math.min(Math.max(0, index), x.values.length - 1);
  const values = valuesAt(chart, at);
  const said = series.map(({ label }, i) => `${label} ${values[i] === null ? "none" : shortNumber(values[i])}`);
  return `${x.label} ${shortNumber(x.values[at])}: ${said.join(", ")}`;
}
