/** Curves of an ensemble: the median of the members that are finished, bands of their scatter, others one by one. */
import { range } from "d3-array";
import { columns } from "../../../engine/diagnostics/columns.ts";
import type { ChartSeries, LineChart, LineStyle } from "../../../run/page/charts.ts";
import { TIME_COLOURS, timeTone } from "../../../run/page/colours.ts";
import { type LegendKey, lineFigure } from "../../../run/page/html.ts";
import type { Markup } from "../../../run/page/markup.ts";
import { shortNumber } from "../../../run/page/numbers.ts";
import { evenlyPicked } from "../../../run/page/picture-html.ts";
import { columnFigures, type FollowedRow, timeAxis } from "../../../run/page/run-figures.ts";
import { type UnitLabels, unit } from "../../../run/page/units.ts";
import type { CollectedCurves } from "./curves.ts";
import { asNumbers } from "./finals.ts";
import type { CollectedParts } from "./hdf5.ts";
import type { Spread } from "./statistics.ts";
import { MOMENTUM_ERROR } from "./tables.ts";

const MOST_POINTS = 400;

const SINGLE: LineStyle = { tone: "muted", thin: true };
const UNFINISHED: LineStyle = { tone: "second", dashed: true, thin: true };

const places = (length: number) => evenlyPicked(range(length), MOST_POINTS);

/** Curves of the diagnostics columns that have a chart, as rows of a run. */
function rowsOf(times: Float64Array, column: (head: string) => Float64Array | undefined): FollowedRow[] {
  const found = columns.records.flatMap(({ name, heads, chart }) => {
    const curves = [heads ?? (name === "momentumError" ? MOMENTUM_ERROR : [])].flat().map(column);
    const known = curves.filter((curve) => curve !== undefined);
    return chart && known.length > 0 && known.length === curves.length ? [{ name, curves: known }] : [];
  });
  return places(times.length).map((i) => ({
    time: times[i],
    ...Object.fromEntries(
      found.map(({ name, curves }) => [name, curves.length === 1 ? curves[0][i] : curves.map((curve) => curve[i])]),
    ),
  }));
}

export const finishedOf = ({ members }: CollectedParts) => members.filter(({ counted }) => counted);

/** The tone of each member, and their key, by the first number that varies, chance apart; none where nothing but seeds does. */
function tonesOf({ parameters, members }: CollectedParts) {
  const entry = parameters.find((one) => !one.isSeed && new Set(one.values).size > 1 && asNumbers(one));
  if (!entry) return { of: () => ({}), keys: [] };
  const values = [...new Set(asNumbers(entry)!)].filter(Number.isFinite).sort((a, b) => a - b);
  const toneOf = (value: number): LineStyle => ({ ...SINGLE, tone: timeTone(values.indexOf(value), values.length) });
  const keys = evenlyPicked(values, TIME_COLOURS).map((value, i): LegendKey => {
    return { ...toneOf(value), text: i === 0 ? `${entry.key} = ${shortNumber(value)}` : shortNumber(value) };
  });
  const own = new Map(members.map(({ index }, i) => [index, entry.values[i]]));
  const of = (index: number) => (Number.isFinite(own.get(index)) ? toneOf(Number(own.get(index))) : {});
  return { of, keys };
}

/** What the looks mean; `whole`: with the outermost members, too. */
function keysOf(page: CollectedParts, { single, statistics }: CollectedCurves, whole = true): LegendKey[] {
  const counted = finishedOf(page);
  const drawn = page.members.filter(({ index }) => single.has(index));
  const count = Math.max(0, ...[...statistics.values()].flatMap((spread) => spread.count[0]));
  const several = count > 1;
  const { keys } = tonesOf(page);
  const each = keys.length > 0 ? keys : [{ ...SINGLE, text: "each" }];
  return [
    ...(count > 0 ? [{ text: several ? `median of ${count}` : `member ${counted[0].index}` }] : []),
    ...(several ? [{ band: true, text: "16 to 84 %" }] : []),
    ...(several && whole ? [{ tone: "muted" as const, band: true, text: "all" }] : []),
    ...(several && drawn.some((member) => member.counted) ? each : []),
    ...(drawn.some((member) => !member.counted) ? [{ ...UNFINISHED, text: "not finished" }] : []),
  ];
}

/** Looks of the members that are drawn one by one; of a single finished one the median is all there is to see. */
function drawnOf(page: CollectedParts, { single }: CollectedCurves) {
  const several = finishedOf(page).length > 1;
  const { of } = tonesOf(page);
  return page.members.flatMap(({ index, counted }) => {
    const curves = single.get(index);
    return curves && (several || !counted)
      ? [{ curves, look: counted ? { ...SINGLE, ...of(index) } : UNFINISHED }]
      : [];
  });
}

export function diagnosticsFigures(page: CollectedParts, units: UnitLabels): Markup[] {
  const found = page.curves.diagnostics;
  if (!found || found.grid.times.length < 2) return [];
  const { grid, statistics } = found;
  const finished = finishedOf(page).length;
  const of = (what: keyof Spread) =>
    rowsOf(grid.times, (head) => {
      const curve = statistics.get(head)?.[what];
      return head === MOMENTUM_ERROR && finished > 0 && !curve?.some(Number.isFinite) ? undefined : curve;
    });
  const single = drawnOf(page, found).map(({ curves, look }) => ({
    rows: rowsOf(grid.times, (head) => curves.get(head) ?? new Float64Array(grid.times.length).fill(Number.NaN)),
    look,
  }));
  const { scenario, comoving, conserved, field } = page.shared;
  return columnFigures({
    runs: [{ rows: of("median"), look: {} }, ...single],
    ...(finished > 1 && {
      bands: [
        { low: of("least"), high: of("greatest"), tone: "muted" },
        { low: of("q16"), high: of("q84") },
      ],
    }),
    ...{ units, boundary: scenario?.box.boundary ?? "isolated", comoving, conserved, field },
    ...{ keys: keysOf(page, found), radiiKeys: keysOf(page, found, false) },
    firstOnTop: true,
    whose: ", median and scatter of the members",
  });
}

/** Columns of other tables, as far as a page has words for them. */
const OTHERS = [
  { table: "bars", name: "strength", title: "Bar strength", label: "A₂", unit: "" },
  { table: "bars", name: "patternSpeed", title: "Pattern speed", label: "Ωₚ", unit: "frequency" },
  { table: "bars", name: "halfLength", title: "Length of the bar", label: "R", unit: "length" },
] as const;

export function otherFigures(page: CollectedParts, units: UnitLabels): Markup[] {
  return OTHERS.flatMap(({ table, name, title, label, unit: of }) => {
    const found = page.curves[table];
    const spread = found?.statistics.get(name);
    if (!found || !spread || found.grid.times.length < 2) return [];
    const at = places(found.grid.times.length);
    const time = (i: number) => found.grid.times[i];
    const points = (curve: Float64Array) => at.map((i) => [time(i), curve[i]] as const);
    const band = (low: Float64Array, high: Float64Array) => at.map((i) => [time(i), low[i], high[i]] as const);
    const areas: LineChart["areas"] =
      finishedOf(page).length > 1
        ? [{ points: band(spread.least, spread.greatest), tone: "muted" }, { points: band(spread.q16, spread.q84) }]
        : [];
    const single = drawnOf(page, found).map(
      ({ curves, look }): ChartSeries => ({ points: points(curves.get(name) ?? spread.median), ...look }),
    );
    const named = of === "" ? "" : unit(page.units[of]);
    return lineFigure({
      ...{ title, keys: keysOf(page, found) },
      description: `${title} against time, median and scatter of the members`,
      ...{ x: timeAxis(units), y: { label: `${label}${named}` } },
      ...{ series: [...single, { points: points(spread.median) }], areas },
    });
  });
}
