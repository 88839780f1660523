/**
 * Small charts as static SVG: lines with axes and labels at the curves.
 *
 * Text and colours come from CSS classes and variables (CHART_CSS), so that one drawing serves light, dark and print.
 * A chart is drawn for a column of about 400 CSS pixels, in which its text has the size of small print.
 */
import { line } from "d3-shape";
import { axisScale, type ChartAxis, type Scaled } from "./axes.ts";
import { cssColour, type Tone } from "./colours.ts";
import { html, type Markup } from "./markup.ts";

export interface LineStyle {
  tone?: Tone;
  dashed?: boolean;
  /** One of many, each of which matters less than what they have in common. */
  thin?: boolean;
  /** A broad pale band, over which other curves stay visible. */
  band?: boolean;
  /** A mark at each point: a filled dot, or an open diamond. */
  marks?: "dot" | "diamond";
  /** False: marks alone. */
  line?: boolean;
  /** White, over the dark colours of an image. */
  light?: boolean;
}

export type Points = readonly (readonly [number, number])[];

export interface ChartSeries extends LineStyle {
  points: Points;
  /** Written at the right end of the curve. */
  label?: string;
  /** Error bars of the points, low and high. */
  errors?: Points;
}

export interface LineChart {
  /** One sentence for a reader who cannot see the chart. */
  description: string;
  x: ChartAxis;
  y: ChartAxis;
  series: readonly ChartSeries[];
  /** Pale areas below the curves: [x, low, high] along them. */
  areas?: readonly { points: readonly (readonly [number, number, number])[]; tone?: Tone }[];
  /** Behind the curves: a picture with these edges, its rows from the top. The axes end with it. */
  image?: { url: string; x: readonly [number, number]; y: readonly [number, number] };
  /** Horizontal reference lines. */
  rules?: readonly { at: number; label?: string }[];
  /** Vertical ones, named at their upper ends. */
  uprights?: readonly { at: number; label: string }[];
  width?: number;
  height?: number;
  /** Lengths are the same along both axes: the height follows from their ranges. */
  equal?: boolean;
}

const WIDTH = 400;
const HEIGHT = 250;
const FONT_SIZE = 11;
/** Width of a character of the wider sans-serif system fonts at FONT_SIZE, and a tenth more for narrow screens. */
const CHARACTER = 6.6;
const LINE_HEIGHT = 13;
const TICK_GAP = 6;
/** Half the size of a mark. */
const DOT = 3.6;
const DIAMOND = 4.6;
const MARGIN = { top: 26, right: 14, bottom: 40 };

/** A page's style sheet has it once, with the colours of colours.ts. */
export const CHART_CSS = `
.chart { display: block; width: 100%; height: auto; overflow: visible; font: ${FONT_SIZE}px/1 var(--sans, sans-serif); font-variant-numeric: tabular-nums; }
.chart text { fill: var(--soft); }
.chart .grid { stroke: var(--hairline); stroke-width: 1; }
.chart .axis { stroke: var(--soft); stroke-width: 1; opacity: .6; }
.chart .rule { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 1.5 3; }
.chart .curve { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
.chart .dashed { stroke-dasharray: 4 3.5; stroke-linecap: butt; }
.chart .thin { stroke-width: 1; opacity: .6; }
.chart .band { stroke-width: 6; opacity: .38; }
.chart .dot { stroke: var(--page); stroke-width: 1; } .chart .diamond { fill: var(--page); stroke-width: 1.5; }
.chart path.light { stroke: #fff; opacity: .85; }
.chart image { image-rendering: auto; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.chart .area { stroke: none; opacity: .17; }
.chart .bar.f-accent { opacity: .85; }
.chart .span { stroke-width: 2; opacity: .7; }
.chart .row { stroke: var(--hairline); stroke-width: 1; }
.chart text.name { fill: var(--ink); }
.chart text.halo { paint-order: stroke; stroke: var(--page); stroke-width: 3px; stroke-linejoin: round; }
`;

/** "v_c" with a lowered c; everything else as it is. */
function richText(text: string): Markup {
  const lowered = (part: string) => html`<tspan dy="3" font-size="8.5">${part}</tspan><tspan dy="-3">\u200b</tspan>`;
  return html`${text.split(/_([A-Za-zφ]+)/).map((part, i) => (i % 2 === 1 ? lowered(part) : part))}`;
}

/** A coordinate, to a hundredth of a pixel. */
export const coordinate = (value: number) => String(Number(value.toFixed(2)));

export function mark(kind: "dot" | "diamond", tone: Tone, x: number, y: number): Markup {
  if (kind === "dot")
    return html`<circle class="dot f-${tone}" cx="${coordinate(x)}" cy="${coordinate(y)}" r="${DOT}"/>`;
  return html`<path class="diamond s-${tone}" d="M${coordinate(x)} ${coordinate(y - DIAMOND)}l${DIAMOND} ${DIAMOND}l${-DIAMOND} ${DIAMOND}l${-DIAMOND} ${-DIAMOND}z"/>`;
}

const curveClass = ({ tone = "accent", dashed, thin, band, light }: LineStyle) =>
  `curve s-${tone}${dashed ? " dashed" : ""}${thin ? " thin" : ""}${band ? " band" : ""}${light ? " light" : ""}`;

/** A piece of a curve, for a legend: a border where there is only a line, a drawing where there are marks. */
export function swatch(look: LineStyle): Markup {
  const { tone = "accent", dashed, thin, band, marks, line: drawn = true } = look;
  if (marks) {
    const stroke = drawn && html`<path class="${curveClass(look)}" d="M0 5H20"/>`;
    return html`<svg class="chart" viewBox="0 0 20 10" aria-hidden="true">${stroke}${mark(marks, tone, 10, 5)}</svg>`;
  }
  const style = `border-color:${cssColour(tone)}${dashed ? ";border-top-style:dashed" : ""}${thin ? ";border-top-width:1px" : ""}`;
  return html`<i${band && html` class="band"`} style="${style}"></i>`;
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

const spanOf = ([from, to]: readonly number[]) => to - from;

export interface DrawnChart {
  svg: Markup;
  x: Scaled["scale"];
  width: number;
  height: number;
  top: number;
  bottom: number;
}

export const lineChart = (chart: LineChart): Markup => drawnChart(chart).svg;

export function drawnChart(chart: LineChart): DrawnChart {
  const { width = WIDTH } = chart;
  const uprights = chart.uprights ?? [];
  // Names of vertical lines stand above the curves, each in a line of its own.
  const top = MARGIN.top + (uprights.length > 0 ? uprights.length * LINE_HEIGHT + 2 : 0);
  const labelled = chart.series.filter((s) => s.label !== undefined && s.points.length > 0);
  const longest = Math.max(0, ...labelled.map((s) => [...(s.label ?? "")].length));
  const right = width - Math.max(MARGIN.right, longest * CHARACTER + 10);
  const spans = (chart.areas ?? []).flatMap(({ points }) => points);
  const ys = [
    ...(chart.image?.y ?? []),
    ...chart.series.flatMap((s) => s.points.map((p) => p[1])),
    ...spans.flatMap(([, low, high]) => [low, high]),
    ...(chart.rules ?? []).map((r) => r.at),
    ...chart.series.flatMap(({ errors = [] }) => errors.map(([, high]) => high)),
  ];
  const upright = (range: [number, number]) =>
    axisScale(chart.y, ys, range, 4, chart.image !== undefined || chart.equal === true);
  // Ticks don't depend on the height.
  const { ticks, scale } = upright([1, 0]);
  const left = Math.max(26, ...ticks.map((tick) => [...tick.text].length * CHARACTER)) + TICK_GAP + 2;
  const xs = [
    ...(chart.image?.x ?? []),
    ...chart.series.flatMap((s) => s.points.map((p) => p[0])),
    ...spans.map(([at]) => at),
    ...uprights.map(({ at }) => at),
  ];
  const x = axisScale(chart.x, xs, [left, right], Math.max(3, Math.round((right - left) / 70)), true);

  const height = chart.equal
    ? top + (spanOf(scale.domain()) * (right - left)) / spanOf(x.scale.domain()) + MARGIN.bottom
    : (chart.height ?? HEIGHT);
  const bottom = height - MARGIN.bottom;
  const y = upright([bottom, top]);

  const path = line<readonly [number, number]>()
    .defined(([a, b]) => x.shows(a) && y.shows(b))
    .x(([a]) => Number(coordinate(x.scale(a))))
    .y(([, b]) => Number(coordinate(y.scale(b))));
  const backdrop = ({ url, x: across, y: up }: NonNullable<LineChart["image"]>) => {
    const [x0, x1] = across.map((at) => x.scale(at));
    const [y0, y1] = up.map((at) => y.scale(at));
    const place = html`x="${coordinate(x0)}" y="${coordinate(y1)}" width="${coordinate(x1 - x0)}" height="${coordinate(y0 - y1)}"`;
    return html`<image href="${url}" ${place} preserveAspectRatio="none"/>`;
  };
  const grid = y.ticks.map(({ at, text }) => {
    const h = coordinate(y.scale(at));
    return html`<line class="grid" x1="${coordinate(left)}" x2="${coordinate(right)}" y1="${h}" y2="${h}"/><text x="${coordinate(left - TICK_GAP)}" y="${h}" dy=".35em" text-anchor="end">${text}</text>`;
  });
  const feet = x.ticks.map(({ at, text }) => {
    const v = coordinate(x.scale(at));
    return html`<line class="axis" x1="${v}" x2="${v}" y1="${coordinate(bottom)}" y2="${coordinate(bottom + 4)}"/><text x="${v}" y="${coordinate(bottom + 16)}" text-anchor="middle">${text}</text>`;
  });
  const rules = (chart.rules ?? []).map(({ at, label }) => {
    const h = y.scale(at);
    const place = html`x="${coordinate(right - 2)}" y="${coordinate(h - 4)}"`;
    const text = label !== undefined && html`<text class="halo" ${place} text-anchor="end">${label}</text>`;
    const drawn = html`<line class="rule" x1="${coordinate(left)}" x2="${coordinate(right)}" y1="${coordinate(h)}" y2="${coordinate(h)}"/>`;
    return { drawn, text };
  });
  const columns = uprights.map(({ at, label }, i) => {
    const v = x.scale(at);
    const after = v < (left + right) / 2;
    const h = MARGIN.top + 6 + i * LINE_HEIGHT;
    const place = html`x="${coordinate(v + (after ? 4 : -4))}" y="${h}" dy=".35em"`;
    const line = html`<line class="rule" x1="${coordinate(v)}" x2="${coordinate(v)}" y1="${h - 6}" y2="${coordinate(bottom)}"/>`;
    return html`${line}<text class="halo" ${place} text-anchor="${after ? "start" : "end"}">${label}</text>`;
  });
  const areas = (chart.areas ?? []).map(({ points, tone = "accent" }) => {
    const shown = points.filter(([at, low, high]) => x.shows(at) && y.shows(high) && !Number.isNaN(low));
    // What lies below the axis ends at its foot.
    const height = (value: number) => coordinate(y.shows(value) ? y.scale(value) : bottom);
    const upper = shown.map(([at, , high]) => `${coordinate(x.scale(at))} ${height(high)}`);
    const lower = shown.map(([at, low]) => `${coordinate(x.scale(at))} ${height(low)}`).reverse();
    return shown.length >= 2 && html`<path class="area f-${tone}" d="M${[...upper, ...lower].join("L")}z"/>`;
  });
  const curves = chart.series.map((s) => {
    const tone = s.tone ?? "accent";
    const shown = s.marks ? s.points.filter(([a, b]) => x.shows(a) && y.shows(b)) : [];
    const marks = shown.map(([a, b]) => mark(s.marks!, tone, x.scale(a), y.scale(b)));
    const bars = (s.errors ?? []).flatMap(([low, high], i) => {
      const at = s.points[i][0];
      if (!x.shows(at) || !y.shows(high)) return [];
      const [v, from] = [coordinate(x.scale(at)), coordinate(y.shows(low) ? y.scale(low) : bottom)];
      return html`<line class="span s-${tone}" x1="${v}" x2="${v}" y1="${from}" y2="${coordinate(y.scale(high))}"/>`;
    });
    if (s.line === false) return [...bars, ...marks];
    return html`<path class="${curveClass(s)}" d="${path(s.points) ?? ""}"/>${marks}`;
  });
  const ends = labelled.flatMap((s) => {
    const end = s.points.findLast(([a, b]) => x.shows(a) && y.shows(b));
    return end === undefined ? [] : [{ series: s, y: y.scale(end[1]) }];
  });
  spread(ends, top, bottom);
  const names = ends.map(
    ({ series, y: h }) =>
      html`<text class="s-${series.tone ?? "accent"}" x="${coordinate(right + 6)}" y="${coordinate(h)}" dy=".35em">${richText(series.label ?? "")}</text>`,
  );
  const parts = [
    html`<text class="name" x="0" y="${FONT_SIZE}">${y.label}</text>`,
    ...grid,
    chart.image && backdrop(chart.image),
    html`<line class="axis" x1="${coordinate(left)}" x2="${coordinate(right)}" y1="${bottom}" y2="${bottom}"/>`,
    ...feet,
    html`<text class="name" x="${coordinate(right)}" y="${coordinate(height - 6)}" text-anchor="end">${x.label}</text>`,
    ...rules.map(({ drawn }) => drawn),
    ...areas,
    ...curves,
    ...columns,
    ...rules.map(({ text }) => text),
    ...names,
  ];
  const svg = html`<svg class="chart" viewBox="0 0 ${width} ${coordinate(height)}" role="img" aria-label="${chart.description}">${parts}</svg>`;
  return { svg, x: x.scale, width, height, top, bottom };
}
