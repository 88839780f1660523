/**
 * The plots of suite.html: curves and points over an axis, and marks by name on an axis. Ours are filled dots in
 * colours, the paper's are open diamonds in grey or in the colour of what they are beside.
 */
import { scaled } from "../../page/axes.ts";
import { type Look, lineChart, mark } from "../../page/charts.ts";
import { seriesTone, type Tone } from "../../page/colours.ts";
import { escapeHtml } from "../../page/escape.ts";
import { figure } from "../../page/html.ts";
import type { DotsPlot, LinesPlot, SuitePlot } from "./page-model.ts";

interface Styled {
  paper?: boolean;
  colour?: number;
  curve?: boolean;
  dashed?: boolean;
}

/** How each series looks; ours are numbered through where they have no colour of their own. */
export function looks(series: readonly Styled[], line: boolean): (Look & { tone: Tone })[] {
  let ours = 0;
  return series.map(({ paper = false, colour, curve = false, dashed = false }) => {
    const number = colour ?? (paper ? undefined : ours++);
    const tone: Tone = number === undefined ? "v0" : seriesTone(number);
    return {
      tone,
      ...(!curve && { marks: paper ? ("diamond" as const) : ("dot" as const) }),
      line: curve || (line && !paper),
      dashed,
    };
  });
}

function linesChart({ title, x, y, series, rules }: LinesPlot): string {
  const styles = looks(series, true);
  return lineChart({
    description: `${title}: ${y.label} against ${x.label}, ${series.map(({ label }) => label).join("; ")}`,
    x,
    y,
    ...(rules && { rules }),
    series: series.map(({ points }, i) => ({ points, ...styles[i] })),
  });
}

const ROW = 15;
const GAP = 9;
const WIDTH = 400;
const TOP = 6;
const FOOT = 40;
const CHARACTER = 6;

/** Rows of marks on a common axis; within a row each series has its own line, so that none covers another. */
function dotsChart({ title, x: axis, rows, series, rule }: DotsPlot): string {
  const styles = looks(series, false);
  const left = Math.max(4, ...rows.map((row) => [...row].length)) * CHARACTER + 12;
  const right = WIDTH - 12;
  const used = rows.map((_, r) => series.flatMap(({ values }, i) => (values[r] === null ? [] : i)));
  const all = series.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const x = scaled(axis, [...all, ...(rule === undefined ? [] : [rule])], [left, right], 4, true);
  let y = TOP;
  const drawn = rows.map((row, r) => {
    const top = y;
    y += Math.max(1, used[r].length) * ROW + GAP;
    const middle = (top + y - GAP) / 2;
    const marks = used[r].map((i, place) => {
      const h = top + place * ROW + ROW / 2;
      const value = series[i].values[r]!;
      const { tone, marks: kind = "dot" } = styles[i];
      if (typeof value === "number") return x.shows(value) ? mark(kind, tone, x.scale(value), h) : "";
      const [from, to] = value.map((end) => x.scale(end).toFixed(2));
      const ends = value.map((end) => mark(kind, tone, x.scale(end), h)).join("");
      return `<line class="span s-${tone}" x1="${from}" x2="${to}" y1="${h}" y2="${h}"/>${ends}`;
    });
    const line = `<line class="row" x1="${left}" x2="${right}" y1="${y - GAP / 2}" y2="${y - GAP / 2}"/>`;
    return `${line}<text class="name" x="${left - 8}" y="${middle}" dy=".35em" text-anchor="end">${escapeHtml(row)}</text>${marks.join("")}`;
  });
  const bottom = y;
  const ticks = x.ticks.map(({ at, text }) => {
    const v = x.scale(at).toFixed(2);
    return `<line class="grid" x1="${v}" x2="${v}" y1="${TOP}" y2="${bottom}"/><text x="${v}" y="${bottom + 15}" text-anchor="middle">${escapeHtml(text)}</text>`;
  });
  const at = rule === undefined ? "" : x.scale(rule).toFixed(2);
  const ruled = rule === undefined ? "" : `<line class="rule" x1="${at}" x2="${at}" y1="${TOP}" y2="${bottom}"/>`;
  const description = `${title}: ${axis.label} of ${rows.join(", ")}; ${series.map(({ label }) => label).join("; ")}`;
  return [
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${bottom + FOOT}" role="img" aria-label="${escapeHtml(description)}">`,
    ...ticks,
    ruled,
    ...drawn,
    `<text class="name" x="${right}" y="${bottom + FOOT - 6}" text-anchor="end">${escapeHtml(x.label)}</text>`,
    "</svg>",
  ].join("");
}

const isEmpty = (plot: SuitePlot) =>
  plot.kind === "lines"
    ? plot.series.every(({ points, paper }) => paper || points.length === 0)
    : plot.series.every(({ values, paper }) => paper || values.every((value) => value === null));

/** A plot with title, legend and note; "" when nothing of ours is in it. */
export function plotFigure(plot: SuitePlot): string {
  if (isEmpty(plot)) return "";
  const { series, kind, title, where, note } = plot;
  const styles = looks(series, kind === "lines");
  const all = series.map(({ label }, i) => ({ ...styles[i], text: label }));
  return figure({
    title: `${title}, after ${where}`,
    // Series of the same name and look are one in the legend.
    keys: all.filter(({ text }, i) => text !== "" && all.findIndex((other) => other.text === text) === i),
    svg: kind === "lines" ? linesChart(plot) : dotsChart(plot),
    ...(note && { note }),
  });
}
