/**
 * Small charts as static SVG: lines with axes and labels at the curves, and horizontal bars.
 *
 * Text and colours come from CSS classes and variables (CHART_CSS), so that one drawing serves light, dark and print.
 * A chart is drawn for a column of about 400 CSS pixels, in which its text has the size of small print.
 */
import { extent } from "d3-array";
import { format } from "d3-format";
import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from "d3-scale";
import { line } from "d3-shape";

/** v0, v1 …: the variants of a comparison, whose colours its page defines. */
export type Tone = "accent" | "second" | "third" | "muted" | `v${number}`;

export interface ChartSeries {
  points: readonly (readonly [number, number])[];
  /** Written at the right end of the curve. */
  label?: string;
  tone?: Tone;
  dashed?: boolean;
  /** A broad pale band, over which other curves stay visible. */
  band?: boolean;
  /** A mark at each point: a filled dot, or an open diamond. */
  marks?: "dot" | "diamond";
  /** False: marks alone. */
  line?: boolean;
}

export interface ChartAxis {
  /** Quantity and unit. */
  label: string;
  scale?: "linear" | "log";
  /** Least range to show; data beyond it widen it. */
  domain?: readonly [number, number];
  /** Where the ticks are, instead of round numbers. */
  ticks?: readonly { at: number; text: string }[];
}

export interface LineChart {
  /** One sentence for a reader who cannot see the chart. */
  description: string;
  x: ChartAxis;
  y: ChartAxis;
  series: readonly ChartSeries[];
  /** Pale areas below the curves: [x, low, high] along them. */
  areas?: readonly { points: readonly (readonly [number, number, number])[]; tone?: Tone }[];
  /** Horizontal reference lines. */
  rules?: readonly { at: number; label?: string }[];
  width?: number;
  height?: number;
}

export interface BarChart {
  description: string;
  /** `text` stands behind the bar. */
  rows: readonly { label: string; value: number; text: string }[];
  width?: number;
}

const WIDTH = 400;
const HEIGHT = 250;
const FONT_SIZE = 11;
/** Mean width of a character of the sans-serif system fonts at FONT_SIZE. */
const CHARACTER = 6;
const LINE_HEIGHT = 13;
const TICK_GAP = 6;
/** Half the size of a mark. */
const DOT = 3.6;
const DIAMOND = 4.6;
const MARGIN = { top: 26, right: 14, bottom: 40 };
/** A logarithmic axis never spans more than this; smaller values are off the chart. */
const MOST_DECADES = 9;

/** Needed once on a page that shows charts; it sets --chart-* from the page's own variables. */
export const CHART_CSS = `
.chart { display: block; width: 100%; height: auto; overflow: visible; font: ${FONT_SIZE}px/1 var(--sans, sans-serif); font-variant-numeric: tabular-nums; }
.chart text { fill: var(--soft); }
.chart .grid { stroke: var(--hairline); stroke-width: 1; }
.chart .axis { stroke: var(--soft); stroke-width: 1; opacity: .6; }
.chart .rule { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 1.5 3; }
.chart .curve { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
.chart .dashed { stroke-dasharray: 4 3.5; stroke-linecap: butt; }
.chart .band { stroke-width: 6; opacity: .38; }
.chart .dot { stroke: var(--page); stroke-width: 1; } .chart .diamond { fill: var(--page); stroke-width: 1.5; }
.chart .area { stroke: none; opacity: .17; }
.chart .bar { fill: var(--accent); opacity: .85; }
.chart text.name { fill: var(--ink); }
.chart .s-accent { stroke: var(--accent); } .chart text.s-accent { fill: var(--accent); stroke: none; }
.chart .s-second { stroke: var(--second); } .chart text.s-second { fill: var(--second); stroke: none; }
.chart .s-third { stroke: var(--third); } .chart text.s-third { fill: var(--third); stroke: none; }
.chart .s-muted { stroke: var(--soft); } .chart text.s-muted { fill: var(--soft); stroke: none; }
.chart .f-accent { fill: var(--accent); } .chart .f-second { fill: var(--second); }
.chart .f-third { fill: var(--third); } .chart .f-muted { fill: var(--soft); }
`;

/** Text that is safe in HTML and SVG, in content and in attributes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (c) => entities[c]);
}

/** "v_c" with a lowered c; everything else as it is. */
function richText(text: string): string {
  return escapeHtml(text).replace(
    /_([A-Za-zφ]+)/g,
    '<tspan dy="3" font-size="8.5">$1</tspan><tspan dy="-3">\u200b</tspan>',
  );
}

const SUPERSCRIPTS: Record<string, string> = Object.fromEntries(
  [..."-0123456789"].map((c, i) => [c, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]]),
);

/** 10ⁿ as text: "10⁻³". */
export function powerOfTen(n: number): string {
  return `10${[...String(n)].map((c) => SUPERSCRIPTS[c]).join("")}`;
}

/** A number for a caption: three significant digits, powers of ten where it is very large or small. */
export function shortNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${mantissa.replace("-", "−").replace(/\.?0+$/, "")}\u2009×\u2009${powerOfTen(Number(power))}`;
  }
  return format(size >= 1000 ? ",.0f" : `.${digits}~r`)(value);
}

const number = (value: number) => String(Number(value.toFixed(2)));

/** A mark at a point: a filled dot or an open diamond. */
export function mark(kind: "dot" | "diamond", tone: Tone, x: number, y: number): string {
  if (kind === "dot") return `<circle class="dot f-${tone}" cx="${number(x)}" cy="${number(y)}" r="${DOT}"/>`;
  return `<path class="diamond s-${tone}" d="M${number(x)} ${number(y - DIAMOND)}l${DIAMOND} ${DIAMOND}l${-DIAMOND} ${DIAMOND}l${-DIAMOND} ${-DIAMOND}z"/>`;
}

export interface Scaled {
  scale: ScaleContinuousNumeric<number, number>;
  ticks: { at: number; text: string }[];
  /** Axis label, with a power of ten taken out of the ticks. */
  label: string;
  /** False for values that the axis cannot show. */
  shows(value: number): boolean;
}

function logarithmic(axis: ChartAxis, values: number[], range: [number, number]): Scaled {
  const positive = [...values, ...(axis.domain ?? [])].filter((v) => v > 0 && Number.isFinite(v));
  const [least = 0.1, most = 1] = extent(positive) as [number?, number?];
  const low = Math.max(least, most / 10 ** MOST_DECADES);
  const scale = scaleLog(least === most ? [most / 2, most * 2] : [low / 1.15, most * 1.15], range);
  const [from, to] = scale.domain().map(Math.log10);
  // 1, 2, 5 in each decade while there are few decades, then every decade, then every other …
  const every = Math.max(1, Math.ceil((to - from) / 6));
  const steps = to - from < 3 ? [1, 2, 5] : [1];
  const ticks: Scaled["ticks"] = [];
  for (let n = Math.floor(from); n <= to; n++) {
    for (const step of n % every === 0 ? steps : []) {
      const at = step * 10 ** n;
      if (at < scale.domain()[0] || at > scale.domain()[1]) continue;
      const plain = from > -3.2 && to < 3.7;
      if (plain) ticks.push({ at, text: format(",~r")(Number(at.toPrecision(1))) });
      else if (step === 1) ticks.push({ at, text: powerOfTen(n) });
      else if (to - from < 1.2) ticks.push({ at, text: shortNumber(Number(at.toPrecision(1)), 1) });
    }
  }
  return { scale, ticks, label: axis.label, shows: (v) => v >= scale.domain()[0] && Number.isFinite(v) };
}

function linear(axis: ChartAxis, values: number[], range: [number, number], count: number, snug: boolean): Scaled {
  let [least = 0, most = 1] = extent([...values.filter(Number.isFinite), ...(axis.domain ?? [])]) as [number?, number?];
  if (least === most) {
    const room = least === 0 ? 1 : Math.abs(least) * 0.1;
    [least, most] = [least - room, most + room];
  }
  const scale = scaleLinear([least, most], range);
  if (!snug) scale.nice(count);
  const size = Math.max(...scale.domain().map(Math.abs));
  const power = size > 0 && (size < 1e-2 || size >= 1e5) ? Math.floor(Math.log10(size)) : 0;
  const ticks = scale.ticks(count);
  const step = (ticks[1] ?? size) - (ticks[0] ?? 0);
  const decimals = Math.max(0, -Math.floor(Math.log10(Math.abs(step) / 10 ** power) + 1e-9));
  const write = format(`,.${Math.min(decimals, 8)}f`);
  return {
    scale,
    ticks: ticks.map((at) => ({ at, text: at === 0 ? "0" : write(at / 10 ** power) })),
    label: power === 0 ? axis.label : `${axis.label}  (× ${powerOfTen(power)})`,
    shows: Number.isFinite,
  };
}

/** The scale of an axis from `values` to `range`, with about `count` ticks; `snug` ends it at the outermost values. */
export function scaled(
  axis: ChartAxis,
  values: number[],
  range: [number, number],
  count: number,
  snug: boolean,
): Scaled {
  const found = axis.scale === "log" ? logarithmic(axis, values, range) : linear(axis, values, range, count, snug);
  return axis.ticks ? { ...found, ticks: [...axis.ticks] } : found;
}

/** Moves labels apart vertically so that none covers another. */
function spread(labels: { y: number }[], top: number, bottom: number): void {
  labels.sort((a, b) => a.y - b.y);
  for (let i = 1; i < labels.length; i++) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + LINE_HEIGHT);
  for (let i = labels.length - 1; i >= 0; i--) {
    const most = i === labels.length - 1 ? bottom : labels[i + 1].y - LINE_HEIGHT;
    labels[i].y = Math.max(top, Math.min(labels[i].y, most));
  }
}

/** A chart of curves as an <svg> element. */
export function lineChart(chart: LineChart): string {
  const { width = WIDTH, height = HEIGHT } = chart;
  const bottom = height - MARGIN.bottom;
  const labelled = chart.series.filter((s) => s.label !== undefined && s.points.length > 0);
  const longest = Math.max(0, ...labelled.map((s) => [...(s.label ?? "")].length));
  const right = width - Math.max(MARGIN.right, longest * CHARACTER + 10);
  const spans = (chart.areas ?? []).flatMap(({ points }) => points);
  const ys = [
    ...chart.series.flatMap((s) => s.points.map((p) => p[1])),
    ...spans.flatMap(([, low, high]) => [low, high]),
    ...(chart.rules ?? []).map((r) => r.at),
  ];
  const y = scaled(chart.y, ys, [bottom, MARGIN.top], 4, false);
  const left = Math.max(26, ...y.ticks.map((tick) => [...tick.text].length * CHARACTER)) + TICK_GAP + 2;
  const xs = [...chart.series.flatMap((s) => s.points.map((p) => p[0])), ...spans.map(([at]) => at)];
  const x = scaled(chart.x, xs, [left, right], Math.max(3, Math.round((right - left) / 70)), true);

  const path = line<readonly [number, number]>()
    .defined(([a, b]) => x.shows(a) && y.shows(b))
    .x(([a]) => Number(number(x.scale(a))))
    .y(([, b]) => Number(number(y.scale(b))));
  const grid = y.ticks.map(({ at, text }) => {
    const h = number(y.scale(at));
    return `<line class="grid" x1="${number(left)}" x2="${number(right)}" y1="${h}" y2="${h}"/><text x="${number(left - TICK_GAP)}" y="${h}" dy=".35em" text-anchor="end">${text}</text>`;
  });
  const feet = x.ticks.map(({ at, text }) => {
    const v = number(x.scale(at));
    return `<line class="axis" x1="${v}" x2="${v}" y1="${bottom}" y2="${bottom + 4}"/><text x="${v}" y="${bottom + 16}" text-anchor="middle">${text}</text>`;
  });
  const rules = (chart.rules ?? []).map(({ at, label }) => {
    const h = y.scale(at);
    const text =
      label === undefined
        ? ""
        : `<text x="${number(right - 2)}" y="${number(h - 4)}" text-anchor="end">${escapeHtml(label)}</text>`;
    return `<line class="rule" x1="${number(left)}" x2="${number(right)}" y1="${number(h)}" y2="${number(h)}"/>${text}`;
  });
  const areas = (chart.areas ?? []).map(({ points, tone = "accent" }) => {
    const shown = points.filter(([at, low, high]) => x.shows(at) && y.shows(high) && !Number.isNaN(low));
    // What lies below the axis ends at its foot.
    const height = (value: number) => number(y.shows(value) ? y.scale(value) : bottom);
    const upper = shown.map(([at, , high]) => `${number(x.scale(at))} ${height(high)}`);
    const lower = shown.map(([at, low]) => `${number(x.scale(at))} ${height(low)}`).reverse();
    return shown.length < 2 ? "" : `<path class="area f-${tone}" d="M${[...upper, ...lower].join("L")}z"/>`;
  });
  const curves = chart.series.map((s) => {
    const tone = s.tone ?? "accent";
    const shown = s.marks ? s.points.filter(([a, b]) => x.shows(a) && y.shows(b)) : [];
    const marks = shown.map(([a, b]) => mark(s.marks!, tone, x.scale(a), y.scale(b)));
    if (s.line === false) return marks.join("");
    const style = `${s.dashed ? " dashed" : ""}${s.band ? " band" : ""}`;
    return `<path class="curve s-${tone}${style}" d="${path(s.points) ?? ""}"/>${marks.join("")}`;
  });
  const ends = labelled.flatMap((s) => {
    const end = s.points.findLast(([a, b]) => x.shows(a) && y.shows(b));
    return end === undefined ? [] : [{ series: s, y: y.scale(end[1]) }];
  });
  spread(ends, MARGIN.top, bottom);
  const names = ends.map(
    ({ series, y: h }) =>
      `<text class="s-${series.tone ?? "accent"}" x="${number(right + 6)}" y="${number(h)}" dy=".35em">${richText(series.label ?? "")}</text>`,
  );
  return [
    `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(chart.description)}">`,
    `<text class="name" x="0" y="${FONT_SIZE}">${escapeHtml(y.label)}</text>`,
    ...grid,
    `<line class="axis" x1="${number(left)}" x2="${number(right)}" y1="${bottom}" y2="${bottom}"/>`,
    ...feet,
    `<text class="name" x="${number(right)}" y="${height - 6}" text-anchor="end">${escapeHtml(x.label)}</text>`,
    ...rules,
    ...areas,
    ...curves,
    ...names,
    "</svg>",
  ].join("");
}

/** Horizontal bars as an <svg> element, in the order given. */
export function barChart(chart: BarChart): string {
  const { rows, width = WIDTH } = chart;
  const rowHeight = 22;
  const height = Math.max(1, rows.length) * rowHeight + 4;
  const names = Math.max(0, ...rows.map((row) => [...row.label].length)) * CHARACTER + 12;
  const texts = Math.max(0, ...rows.map((row) => [...row.text].length)) * CHARACTER + 8;
  const most = Math.max(0, ...rows.map((row) => row.value));
  const length = scaleLinear([0, most || 1], [0, Math.max(20, width - names - texts)]);
  const bars = rows.map((row, i) => {
    const middle = i * rowHeight + rowHeight / 2;
    const end = Math.max(1, length(row.value));
    return (
      `<text class="name" x="${number(names - 8)}" y="${middle}" dy=".35em" text-anchor="end">${escapeHtml(row.label)}</text>` +
      `<rect class="bar" x="${number(names)}" y="${middle - 6}" width="${number(end)}" height="12" rx="1.5"/>` +
      `<text x="${number(names + end + 6)}" y="${middle}" dy=".35em">${escapeHtml(row.text)}</text>`
    );
  });
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(chart.description)}">${bars.join("")}</svg>`;
}
