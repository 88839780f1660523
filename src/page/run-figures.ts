/**
 * Figures of runs, one or several in each: energy, momentum, virial ratio and Lagrangian radii against time; density
 * profiles.
 */
import type { ChartAxis } from "./axes.ts";
import { type ChartSeries, type Look, lineChart } from "./charts.ts";
import { figure, type Key } from "./html.ts";
import { densityUnit, type UnitLabels, unit } from "./units.ts";

/** A state of a run. */
export interface ConservationRow {
  /** [time] */
  time: number;
  /** (E − E₀)/|E₀| */
  energyError: number;
  /** |P − P₀| / √(2 K₀ M) */
  momentumError: number;
  /** 2K/|V| */
  virialRatio: number;
  /** Radii that hold LAGRANGIAN_FRACTIONS of the mass [length]. */
  lagrangianRadii: readonly number[];
}

export interface ConservationCharts {
  runs: readonly { rows: readonly ConservationRow[]; look: Look; radiiLook?: Look }[];
  units: UnitLabels;
  keys?: readonly Key[];
  /** Of the Lagrangian radii, where they look otherwise. */
  radiiKeys?: readonly Key[];
  /** Lagrangian radii by index; the label stands at the first run's curve. None in a periodic box. */
  radii: readonly { index: number; label: string; tone?: Look["tone"] }[];
  /** For readers who cannot see the charts: ", a curve a variant". */
  whose?: string;
  /** Times are scale factors, and there is no equilibrium to be kept. */
  comoving?: boolean;
}

/** LAGRANGIAN_FRACTIONS that are drawn where several runs are, by index. */
export const FEW_RADII = [
  { index: 1, label: "10 %" },
  { index: 3, label: "50 %" },
  { index: 5, label: "90 %" },
];

/** Label of an axis of time. */
export function timeAxis(units: UnitLabels, comoving = false): { label: string } {
  return { label: comoving ? "Scale factor" : `Time${unit(units.time)}` };
}

/** The figures; a legend takes the place of the words about them. */
export function conservationFigures(charts: ConservationCharts): string[] {
  const { runs, units, keys = [], radii, whose = "", comoving = false } = charts;
  const x = timeAxis(units, comoving);
  const points = (rows: readonly ConservationRow[], value: (row: ConservationRow) => number) =>
    rows.map((row) => [row.time * units.timeFactor, value(row)] as const);
  const one = (
    title: string,
    about: string,
    y: ChartAxis,
    value: (row: ConservationRow) => number,
    options: { quantity: string; rule?: number },
  ) =>
    figure({
      ...{ title, about, keys },
      svg: lineChart({
        description: `${options.quantity} against time${whose}`,
        ...{ x, y },
        series: runs.map(({ rows, look }) => ({ points: points(rows, value), ...look })),
        ...(options.rule !== undefined && { rules: [{ at: options.rule }] }),
      }),
    });
  const figures = [
    one(
      "Energy",
      comoving ? "residual of the cosmic energy equation" : "relative error of the total energy",
      { label: comoving ? "Layzer–Irvine residual / |aW|" : "(E − E₀) / |E₀|" },
      ({ energyError }) => energyError,
      { quantity: "Relative energy error", rule: 0 },
    ),
    one(
      "Momentum",
      "drift of the total momentum from its first value",
      { label: "|p − p₀| / √(2 M K₀)", domain: [0, 0] },
      ({ momentumError }) => momentumError,
      { quantity: "Momentum drift" },
    ),
  ];
  if (!comoving) {
    figures.push(
      one(
        "Virial ratio",
        "1 in equilibrium",
        { label: "2K / |V|", domain: [0.95, 1.05] },
        ({ virialRatio }) => virialRatio,
        { quantity: "Virial ratio", rule: 1 },
      ),
    );
  }
  if (radii.length === 0) return figures;
  const series: ChartSeries[] = radii.flatMap(({ index, label, tone }) =>
    runs.map(({ rows, look, radiiLook = look }, i) => ({
      points: points(rows, ({ lagrangianRadii }) => lagrangianRadii[index]),
      ...radiiLook,
      ...(tone && { tone }),
      ...(i === 0 && { label }),
    })),
  );
  const radiiFigure = figure({
    title: "Lagrangian radii",
    about: "radii that hold a share of the mass",
    keys: charts.radiiKeys ?? keys,
    svg: lineChart({
      description: `Radii that hold a share of the mass against time${whose}`,
      x,
      y: { label: `Radius${unit(units.length)}`, scale: "log" },
      series,
    }),
  });
  return [...figures, radiiFigure];
}

/** A density, or a disk's surface density, against radius. */
export function profileFigure(options: {
  kind: "density" | "surface-density";
  /** After the title. */
  of?: string;
  /** For readers who cannot see it: "first against last". */
  which: string;
  units: UnitLabels;
  series: readonly ChartSeries[];
  keys: readonly Key[];
}): string {
  const { kind, of = "", which, units, series, keys } = options;
  const disk = kind === "surface-density";
  return figure({
    title: `${disk ? "Surface density" : "Density profile"}${of}`,
    keys,
    svg: lineChart({
      description: `${disk ? "Surface density" : "Density"} against radius${which}`,
      x: { label: `${disk ? "R" : "r"}${unit(units.length)}`, ...(disk ? { domain: [0, 0] } : { scale: "log" }) },
      y: { label: `${disk ? "Σ" : "ρ"} [${densityUnit(units, disk ? 2 : 3)}]`, scale: "log" },
      series,
    }),
  });
}
