/** Figures of one run or several: what the diagnostics columns draw against time, and density profiles. */

import { type ColumnChart, type ConservedQuantity, worded } from "../../engine/diagnostics/columns/column.ts";
import { columns } from "../../engine/diagnostics/columns.ts";
import type { ChartSeries, LineChart, LineStyle } from "./charts.ts";
import type { Tone } from "./colours.ts";
import { type LegendKey, lineFigure } from "./html.ts";
import type { Markup } from "./markup.ts";
import { shortNumber } from "./numbers.ts";
import { densityUnit, type UnitLabels, unit, withUnit } from "./units.ts";

export type FollowedRow = { time: number } & Readonly<Record<string, number | readonly number[]>>;

interface Looks {
  look: LineStyle;
  /** The look of columns with several curves. */
  radiiLook?: LineStyle;
}

export interface FollowedRuns extends Partial<ConservedQuantity> {
  runs: readonly ({ rows: readonly FollowedRow[] } & Looks)[];
  /** Pale areas between two runs of the same times; of columns with several curves the last of them. */
  bands?: readonly { low: readonly FollowedRow[]; high: readonly FollowedRow[]; tone?: Tone }[];
  units: UnitLabels;
  boundary: "isolated" | "periodic";
  keys?: readonly LegendKey[];
  /** The keys of columns with several curves, where they look otherwise. */
  radiiKeys?: readonly LegendKey[];
  /** The first run is drawn last, over the others. */
  firstOnTop?: boolean;
  /** For readers who cannot see the charts: ", a curve a variant". */
  whose?: string;
  /** All curves of a column, one of which stands out: where a run is by itself. */
  allCurves?: boolean;
  /** Times are scale factors, and there is no equilibrium to be kept. */
  comoving?: boolean;
}

/** A run whose rows call the column relativeEnergyError "energyError", as an instrument's records do. */
export function followed<Row extends { time: number; energyError: number }>(rows: readonly Row[], looks: Looks) {
  return { rows: rows.map(({ energyError, ...row }) => ({ ...row, relativeEnergyError: energyError })), ...looks };
}

/** Label of an axis of time: "Time [kpc/(km/s) = 0.978 Gyr]". */
export function timeAxis({ time, years }: Pick<UnitLabels, "time" | "years">, comoving = false): { label: string } {
  const inYears = years ? ` = ${withUnit(shortNumber(years.value), years.unit)}` : "";
  return { label: comoving ? "Scale factor" : `Time${unit(`${time}${inYears}`)}` };
}

/** Whether a chart belongs to a run of such a box on such a clock. */
export const isMeantFor = ({ only }: ColumnChart, periodic: boolean, comoving: boolean): boolean =>
  only === "isolated" ? !periodic : !(only && comoving);

/** A figure a diagnostics column that has a chart and is in the rows; a legend takes the place of the words about it. */
export function columnFigures(followed: FollowedRuns): Markup[] {
  const { runs, boundary, comoving = false } = followed;
  return columns.records.flatMap(({ name, chart }) => {
    const isThere = runs.every(({ rows }) => rows.every((row) => row[name] !== undefined));
    const isMeant = chart && isMeantFor(chart, boundary === "periodic", comoving);
    return isThere && isMeant ? [columnFigure(name, chart, followed)] : [];
  });
}

/** "Radius [kpc]": what a column's values are, with their unit. */
export const axisLabel = ({ label, unit: of }: Pick<ColumnChart, "label" | "unit">, units: Omit<UnitLabels, "years">) =>
  `${label}${of ? unit(units[of]) : ""}`;

function columnFigure(name: string, chart: ColumnChart, followed: FollowedRuns): Markup {
  const { runs, units, keys = [], radiiKeys = keys, whose = "", allCurves = false, comoving = false } = followed;
  const { bands = [], firstOnTop = false } = followed;
  const words = worded(chart, { ...followed, comoving });
  const { title, about, curves, domain, rule } = words;
  const points = (rows: readonly FollowedRow[], index = 0) =>
    rows.map((row) => [row.time, [row[name]].flat()[index]] as const);
  const area = ({ low, high, tone }: (typeof bands)[number], index = 0) => {
    const upper = points(high, index);
    return {
      points: points(low, index).map(([time, least], i) => [time, least, upper[i][1]] as const),
      ...(tone && { tone }),
    };
  };
  const areas = (): NonNullable<LineChart["areas"]> =>
    curves
      ? curves.flatMap(({ few }, i) => (allCurves || few ? bands.slice(-1).map((one) => area(one, i)) : []))
      : bands.map((one) => area(one));
  const several = (): ChartSeries[] =>
    (curves ?? []).flatMap(({ label, main, few }, index) => {
      if (!allCurves && !few) return [];
      const tone = allCurves && { tone: main ? ("accent" as const) : ("muted" as const) };
      return runs.map(({ rows, look, radiiLook = look }, i) => ({
        ...{ points: points(rows, index), ...radiiLook, ...tone, ...(i === 0 && { label }) },
      }));
    });
  const series = curves ? several() : runs.map(({ rows, look }) => ({ points: points(rows), ...look }));
  return lineFigure({
    ...{ title, about, keys: curves ? radiiKeys : keys },
    description: `${words.quantity} against time${whose}`,
    x: timeAxis(units, comoving),
    y: { label: axisLabel(words, units), ...(words.scale && { scale: words.scale }), ...(domain && { domain }) },
    series: firstOnTop ? series.toReversed() : series,
    ...(bands.length > 0 && { areas: areas() }),
    ...(rule !== undefined && { rules: [{ at: rule }] }),
  });
}

/** A density, or a disk's surface density, against radius. */
export function profileFigure(options: {
  kind: "density" | "surface-density";
  of?: string;
  /** For readers who cannot see it: "first against last". */
  which: string;
  units: UnitLabels;
  series: readonly ChartSeries[];
  keys: readonly LegendKey[];
}): Markup {
  const { kind, of = "", which, units, series, keys } = options;
  const disk = kind === "surface-density";
  return lineFigure({
    title: `${disk ? "Surface density" : "Density profile"}${of}`,
    keys,
    description: `${disk ? "Surface density" : "Density"} against radius${which}`,
    x: { label: `${disk ? "R" : "r"}${unit(units.length)}`, ...(disk ? { domain: [0, 0] } : { scale: "log" }) },
    y: { label: `${disk ? "Σ" : "ρ"} [${densityUnit(units, disk ? 2 : 3)}]`, scale: "log" },
    series,
  });
}
