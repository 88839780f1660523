/** Pictures of the Bars section: A_2 over time and radius, and the spectrogram of its pattern speed. */
import { LEAST_IN_RING } from "../../engine/diagnostics/bar-strength.ts";
import { ringRadii } from "../../engine/diagnostics/disk-frequencies.ts";
import { fastestTold, spectrogram } from "../../engine/diagnostics/pattern-speed.ts";
import { binOf } from "../../physics/particles/host-reductions.ts";
import type { BarSeries } from "../outputs/bars.ts";
import { type ChartSeries, lineChart, type Points } from "../page/charts.ts";
import { figure } from "../page/html.ts";
import { html, type Markup } from "../page/markup.ts";
import { linearRamp } from "../page/picture-html.ts";
import { dataUrl, linearPng, type PixelMap } from "../page/pictures.ts";
import { timeAxis } from "../page/run-figures.ts";
import { unit } from "../page/units.ts";
import { moment, type ReportData } from "./model.ts";

/** Pixels of a picture at most across, and up. */
const ACROSS = 300;
const UP = 120;
/** Rows that a spectrogram is worth being taken of, and of which two are. */
const LEAST_ROWS = 8;
const ROWS_OF_TWO = 32;
/** Ω further in is beyond the picture [radius of the rings]. */
const INNER = 0.08;
/** Share of the speeds that is against the rotation. */
const AGAINST = 0.25;

/** "km/s/kpc"; a number of radians a time unit where units are free. */
export function speedUnit({ units }: ReportData): string {
  return units.velocity && units.length ? `${units.velocity}/${units.length}` : "";
}

/** A_2 of m = 2 in ring k at a row; 0 where particles are few. */
function strengthAt({ profiles, edges }: BarSeries, row: number, k: number): number {
  const bins = edges.length - 1;
  return profiles.count[row * bins + k] >= LEAST_IN_RING ? profiles.amplitude[(6 * row + 1) * bins + k] : 0;
}

/** A picture of `value` over [0, 1] across and up, rows from the top. */
function pixels(width: number, height: number, value: (across: number, up: number) => number): PixelMap {
  const values = Float64Array.from({ length: width * height }, (_, i) =>
    value(((i % width) + 0.5) / width, 1 - (Math.floor(i / width) + 0.5) / height),
  );
  return { values, width, height };
}

const largest = (map: PixelMap) => Array.from(map.values).reduce((most, value) => Math.max(most, value), 0);

/** A_2(R, t), with corotation where there is a bar. */
export function amplitudeFigure(data: ReportData, bars: BarSeries): Markup {
  const { rows, edges } = bars;
  const { units } = data;
  const times = rows.map(({ time }) => time);
  const [from, to] = [times[0], times[times.length - 1]];
  const radius = edges[edges.length - 1];
  const nearest = nearestOf(times);
  const map = pixels(Math.min(ACROSS, rows.length), Math.min(UP, 3 * edges.length), (x, y) => {
    const ring = binOf(edges, y * radius);
    return ring < 0 ? 0 : strengthAt(bars, nearest(from + x * (to - from)), ring);
  });
  const ceiling = Math.max(0.1, largest(map));
  const svg = lineChart({
    description: "Strength A2 of two arms over time and radius, in colours",
    x: timeAxis(units),
    y: { label: `R${unit(units.length)}` },
    image: { url: dataUrl(linearPng(map, ceiling)), x: [from, to], y: [0, radius] },
    series: [],
  });
  return figure({
    title: "Two arms over radius and time",
    about: "A₂, rings with 100 particles and more",
    svg: html`${svg}${linearRamp(ceiling, "A₂")}`,
  });
}

/** The index of the sorted value that is nearest. */
function nearestOf(sorted: readonly number[]): (value: number) => number {
  return (value) => {
    const at = binOf(sorted, value);
    if (at < 0) return value < sorted[0] ? 0 : sorted.length - 1;
    return value - sorted[at] <= sorted[at + 1] - value ? at : at + 1;
  };
}

/** Of the first and the second half of a long run; of all of a short one. */
export function spectrogramFigures(data: ReportData, bars: BarSeries): Markup[] {
  const { length } = bars.rows;
  if (length < LEAST_ROWS) return [];
  const half = Math.ceil(length / 2);
  const figureOf = (from: number, to: number) => spectrogramFigure(data, bars, from, to);
  return length < ROWS_OF_TWO ? [figureOf(0, length)] : [figureOf(0, half), figureOf(length - half, length)];
}

function spectrogramFigure(data: ReportData, bars: BarSeries, from: number, to: number): Markup {
  const { rows, edges, profiles } = bars;
  const radii = ringRadii(edges);
  const bins = radii.length;
  const radius = edges[bins];
  const meanOf = (of: "Omega" | "kappa" | "rotation") => radii.map((_, k) => meanIn(profiles[of], bins, k, from, to));
  const [omega, kappa, rotation] = [meanOf("Omega"), meanOf("kappa"), meanOf("rotation")];
  const sense = rotation.reduce((sum, v, k) => sum + (v * profiles.mass[from * bins + k] || 0), 0) < 0 ? -1 : 1;
  const inner = Math.max(0, ...omega.filter((value, k) => radii[k] >= INNER * radius && value > 0));
  const times = rows.map(({ time }) => time);
  const most = Math.min(fastestTold(times, 2), 1.2 * inner || Number.POSITIVE_INFINITY);
  const [low, high] = sense > 0 ? [-AGAINST * most, most] : [-most, AGAINST * most];
  const speeds = Array.from({ length: UP }, (_, i) => low + ((i + 0.5) / UP) * (high - low));
  const all = (value: (row: number, k: number) => number) =>
    Float64Array.from({ length: rows.length * bins }, (_, i) => value(Math.floor(i / bins), i % bins));
  const amplitude = all((row, k) => strengthAt(bars, row, k));
  const phase = all((row, k) => profiles.phase[(6 * row + 1) * bins + k]);
  const power = spectrogram({ times, amplitude, phase, m: 2, from, to, speeds });
  const map = pixels(3 * bins, UP, (x, y) => {
    const ring = binOf(edges, x * radius);
    return ring < 0 ? 0 : power[Math.min(UP - 1, Math.floor(y * UP)) * bins + ring];
  });
  const ceiling = Math.max(0.02, largest(map));
  const curve = (of: (k: number) => number, dashed: boolean): ChartSeries => {
    const values = radii.map((_, k) => sense * of(k));
    const points = radii.map((R, k): Points[number] => [
      R,
      values[k] >= low && values[k] <= high ? values[k] : Number.NaN,
    ]);
    return { points, dashed, light: true };
  };
  const svg = lineChart({
    description: "Amplitude of two arms over radius and pattern speed, beside the frequencies of orbits",
    x: { label: `R${unit(data.units.length)}` },
    y: { label: `Ωₚ${unit(speedUnit(data))}` },
    image: { url: dataUrl(linearPng(map, ceiling)), x: [0, radius], y: [low, high] },
    series: [
      curve((k) => omega[k], false),
      curve((k) => omega[k] - kappa[k] / 2, true),
      curve((k) => omega[k] + kappa[k] / 2, true),
    ],
  });
  return figure({
    title: `Pattern speeds, ${moment(data, times[from])} to ${moment(data, times[to - 1])}`,
    about: "two arms; white: Ω, dashed Ω ± κ/2",
    svg: html`${svg}${linearRamp(ceiling, "A₂ of what turns at Ωₚ")}`,
  });
}

/** Mean of ring k over rows, of those where it is known. */
function meanIn(values: Float64Array, bins: number, k: number, from: number, to: number): number {
  const known = Array.from({ length: to - from }, (_, j) => values[(from + j) * bins + k]).filter(Number.isFinite);
  return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
}
