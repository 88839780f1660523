/** The Bars section of report.html: strength, pattern speed, length, A_2 and Q over radius, buckling. */
import { type BarRow, LEAST_IN_RING } from "../../engine/diagnostics/bar-strength.ts";
import { ringRadii } from "../../engine/diagnostics/disk-frequencies.ts";
import { fastestTold } from "../../engine/diagnostics/pattern-speed.ts";
import type { BarSeries } from "../outputs/bars.ts";
import type { ChartSeries, Points } from "../page/charts.ts";
import { seriesTone } from "../page/colours.ts";
import { charts, type LegendKey, lineFigure, section, tiles } from "../page/html.ts";
import { type Markup, nothing } from "../page/markup.ts";
import { MISSING, shortNumber, small } from "../page/numbers.ts";
import { timeAxis } from "../page/run-figures.ts";
import { unit, withUnit } from "../page/units.ts";
import { amplitudeFigure, spectrogramFigures, speedUnit } from "./bar-maps.ts";
import { moment, type ReportData, timeText } from "./model.ts";

/** A₂ of a bar over that of as many particles at random. */
const ABOVE_NOISE = 4;
/** Of the largest turn from row to row that can be told. */
const NEARLY_TOO_FAR = 0.7;

export function barSection(data: ReportData): Markup {
  const { bars } = data;
  if (!bars || bars.rows.length < 3) return nothing;
  return section(
    "Bars",
    barTiles(data, bars),
    charts([
      strengthFigure(data, bars),
      speedFigure(data, bars),
      amplitudeFigure(data, bars),
      lengthFigure(data, bars),
      ...spectrogramFigures(data, bars),
      wavesFigure(data, bars),
      toomreFigure(data, bars),
      bucklingFigure(data, bars),
    ]),
  );
}

/** Whether a bar can be told from the noise. */
const isBar = ({ strengthWithin, noise }: BarRow) => strengthWithin > ABOVE_NOISE * noise;

function barTiles(data: ReportData, { rows, within }: BarSeries): Markup {
  const { units } = data;
  const last = rows[rows.length - 1];
  const strongest = rows.reduce((best, row) => (row.strengthWithin > best.strengthWithin ? row : best));
  const buckled = rows.reduce((most, row) => (row.buckling > most.buckling ? row : most));
  const length = (value: number) => (Number.isFinite(value) ? withUnit(shortNumber(value), units.length) : MISSING);
  const there = isBar(last);
  const reach = last.halfLength > 0 ? last.halfLength : last.phaseLength;
  const ring = Number.isFinite(last.strength)
    ? `largest of a ring ${shortNumber(last.strength)} at R = ${length(last.strengthRadius)}`
    : `no ring has ${LEAST_IN_RING} particles`;
  const lengths = `where A₂ is half: ${length(last.halfLength)}; where the phase is off: ${length(last.phaseLength)}`;
  const ofBar: [label: string, value: string, more: string][] = [
    ["Pattern speed", withUnit(shortNumber(last.patternSpeed), speedUnit(data)), `at ${moment(data, last.time)}`],
    [
      "Corotation",
      length(last.corotation),
      last.corotation / reach > 0 ? `${small(last.corotation / reach)} bar lengths` : "",
    ],
    ["Bar length", length(reach), lengths],
  ];
  const noBar = `no bar: A₂ is below ${ABOVE_NOISE} times the noise`;
  const list: typeof ofBar = [
    ["Bar strength A₂", shortNumber(last.strengthWithin), `within ${length(within)}; ${ring}`],
    [
      "At its strongest",
      shortNumber(strongest.strengthWithin),
      `${moment(data, strongest.time)}; ${small(strongest.noise)} would be noise`,
    ],
    ...(there ? ofBar : ofBar.map(([label], i): (typeof ofBar)[number] => [label, MISSING, i === 0 ? noBar : ""])),
    [
      "Buckling at most",
      length(buckled.buckling),
      `${moment(data, buckled.time)}; thickness ${length(last.thickness)} at the end`,
    ],
  ];
  return tiles(list.map(([label, value, more]) => ({ label, value, more })));
}

/** The note below a chart that has nothing to draw. */
const noteIfEmpty = (series: readonly Points[], note: string) =>
  series.some((points) => points.some(([, value]) => Number.isFinite(value))) ? "" : note;
const NO_BAR = `No bar: A₂ is never above ${ABOVE_NOISE} times the noise.`;
const NO_RING = `No ring has ${LEAST_IN_RING} particles: take fewer and wider ones, bars.rings, or more particles.`;

/** A quantity of the rows against time; only where there is a bar, or all along. */
function along(rows: readonly BarRow[], of: keyof BarRow, onlyBars = false): Points {
  return rows.map((row) => [row.time, onlyBars && !isBar(row) ? Number.NaN : row[of]] as const);
}

/** A series with its text in the legend; the first is drawn over the others. */
type Curve = ChartSeries & LegendKey;

/** A figure against time. */
const overTime = ({ units }: ReportData, about: Omit<Parameters<typeof lineFigure>[0], "x">) =>
  lineFigure({ ...about, x: timeAxis(units) });

/** A figure against the radius of rings. */
const overRadius = ({ units }: ReportData, about: Omit<Parameters<typeof lineFigure>[0], "x">) =>
  lineFigure({ ...about, x: { label: `R${unit(units.length)}`, domain: [0, 0] } });

function strengthFigure(data: ReportData, { rows, within, shown }: BarSeries): Markup {
  const keys: Curve[] = [
    { points: along(rows, "strengthWithin"), text: `A₂ within ${withUnit(shortNumber(within), data.units.length)}` },
    { points: along(rows, "strength"), tone: "second", text: "largest of a ring" },
    { points: along(rows, "noise"), tone: "muted", dashed: true, text: "noise" },
  ];
  return overTime(data, {
    ...{ title: `Bar strength of ${shown}`, keys, series: keys.toReversed() },
    description: "Bar strength A2 within a radius, its largest in a ring, and the noise of the particles against time",
    y: { label: "A₂", domain: [0, 0.1] },
  });
}

function speedFigure(data: ReportData, { rows }: BarSeries): Markup {
  const times = rows.map(({ time }) => time);
  const most = fastestTold(times, 2);
  const points = along(rows, "patternSpeed", true);
  const fastest = Math.max(0, ...rows.filter(isBar).map(({ patternSpeed }) => Math.abs(patternSpeed) || 0));
  const degrees = Math.round((90 * fastest) / most);
  const note =
    fastest > NEARLY_TOO_FAR * most
      ? `The bar turns by ${degrees}° from row to row, and 90° is the most that can be told: take more rows, such as bars.count = ${2 * (rows.length - 1)}.`
      : noteIfEmpty([points], NO_BAR);
  return overTime(data, {
    title: "Pattern speed",
    about: "slope of the bar’s phase, where A₂ is above the noise",
    note,
    description: "Pattern speed of the bar against time",
    y: { label: `Ωₚ${unit(speedUnit(data))}`, domain: [0, 0] },
    series: [{ points }],
  });
}

function lengthFigure(data: ReportData, { rows }: BarSeries): Markup {
  const keys: Curve[] = [
    { points: along(rows, "halfLength", true), text: "A₂ falls to half" },
    { points: along(rows, "phaseLength", true), tone: "third", text: "phase is 10° off" },
    { points: along(rows, "corotation", true), tone: "second", dashed: true, text: "corotation" },
  ];
  const lengths = keys.map(({ points }) => points);
  return overTime(data, {
    ...{ title: "Bar length and corotation", keys, series: keys.toReversed() },
    note: noteIfEmpty(lengths, rows.some(isBar) ? "" : NO_BAR),
    description: "Bar length by amplitude and by phase, and corotation radius against time",
    y: { label: `R${unit(data.units.length)}`, domain: [0, 0] },
  });
}

/** What rings with enough particles have at a row: the numbers of `values` from ring `first` on, against radius. */
function profileAt(
  { edges, profiles: { count } }: BarSeries,
  row: number,
  values: Float64Array,
  first: number,
): Points {
  const radii = ringRadii(edges);
  return radii.map((R, k) => [R, count[row * radii.length + k] >= LEAST_IN_RING ? values[first + k] : Number.NaN]);
}

function wavesFigure(data: ReportData, bars: BarSeries): Markup {
  const row = bars.rows.length - 1;
  const rings = bars.edges.length - 1;
  const series = [1, 2, 3, 4, 5, 6].map((m): ChartSeries => {
    const points = profileAt(bars, row, bars.profiles.amplitude, (6 * row + m - 1) * rings);
    return { points, tone: seriesTone(m - 1), dashed: m % 2 === 1 };
  });
  const curves = series.map(({ points }) => points);
  return overRadius(data, {
    title: `Arms of m = 1 to 6, ${moment(data, bars.rows[row].time)}`,
    keys: series.map((one, i): LegendKey => ({ ...one, text: `m = ${i + 1}` })),
    note: noteIfEmpty(curves, NO_RING),
    description: "Fourier amplitudes of m = 1 to 6 against radius at the end",
    y: { label: "Aₘ", domain: [0, 0] },
    series,
  });
}

function toomreFigure(data: ReportData, bars: BarSeries): Markup {
  const last = bars.rows.length - 1;
  const Q = (row: number) => profileAt(bars, row, bars.profiles.Q, row * (bars.edges.length - 1));
  const above = (points: Points) => points.map(([R, value]) => [R, value < MOST_Q ? value : Number.NaN] as const);
  const keys: Curve[] = [
    { points: above(Q(0)), tone: "muted", dashed: true, text: moment(data, bars.rows[0].time) },
    { points: above(Q(last)), text: moment(data, bars.rows[last].time) },
  ];
  return overRadius(data, {
    ...{ title: "Toomre’s Q", keys, series: keys },
    note: noteIfEmpty([Q(0), Q(last)], NO_RING),
    description: "Toomre's Q against radius, first against last",
    y: { label: "Q", domain: [0, 2] },
    rules: [{ at: 1 }],
  });
}

/** In the middle Q has no meaning, and would hide the rest. */
const MOST_Q = 8;

function bucklingFigure(data: ReportData, { rows }: BarSeries): Markup {
  const last = rows[rows.length - 1];
  const tenths = rows.map(({ time, thickness }) => [time, thickness / 10] as const);
  const keys: Curve[] = [
    { points: along(rows, "buckling"), text: "|⟨z e²ⁱᵠ⟩|" },
    { points: tenths, tone: "muted", dashed: true, text: "a tenth of the thickness" },
  ];
  return overTime(data, {
    ...{ title: "Buckling", keys, series: keys.toReversed() },
    description: "Buckling amplitude and a tenth of the thickness of the disk against time",
    y: { label: `z${unit(data.units.length)}`, domain: [0, 0] },
    note: `At t = ${timeText(data, last.time)} the disk is ${withUnit(shortNumber(last.thickness), data.units.length)} thick within.`,
  });
}
