/** The cosmological part of report.html: power spectra against theory, and the mass function of haloes. */

import type { MeasuredSpectrum, SpectrumRow } from "../io/spectrum.ts";
import type { ChartSeries, LineStyle, Points } from "../page/charts.ts";
import { timeTone } from "../page/colours.ts";
import { type LegendKey, lineFigure } from "../page/html.ts";
import type { Markup } from "../page/markup.ts";
import { shortNumber, thinGrouped } from "../page/numbers.ts";
import { evenlyPicked } from "../page/picture-html.ts";
import { volumeUnit, withUnit } from "../page/units.ts";
import { moment, type ReportData } from "./model.ts";

/** Spectra beyond this number are thinned out; the first and the last always stay. */
const MOST_SPECTRA = 5;
const DASHED = { tone: "muted", dashed: true } as const;

/** P(k) at the snapshots, the last one over theory, the mass function; none without a spectrum or a catalogue. */
export function cosmology(data: ReportData): Markup[] {
  const { spectra = [], haloes } = data;
  const last = spectra.at(-1);
  return [
    last && powerFigure(data, evenlyPicked(spectra, MOST_SPECTRA)),
    last?.rows.some(({ halofit }) => halofit !== undefined) && ratioFigure(data, last),
    haloes && haloes.massFunction.length > 0 && friendsFigure(data, haloes),
  ].flatMap((figure) => figure || []);
}

export function wavenumber({ units }: ReportData) {
  const label = `k [${units.length === "Mpc/h" ? "h/Mpc" : `1/${units.length || "length"}`}]`;
  return { label, scale: "log" as const };
}

/** Where y has a logarithm. */
function points<T>(rows: readonly T[], x: (row: T) => number, y: (row: T) => number | undefined): Points {
  return rows.flatMap((row) => {
    const value = y(row);
    return value !== undefined && value > 0 ? [[x(row), value] as const] : [];
  });
}

const spectrum = (rows: readonly SpectrumRow[], value: (row: SpectrumRow) => number | undefined) =>
  points(rows, ({ k }) => k, value);

function powerFigure(data: ReportData, spectra: readonly MeasuredSpectrum[]): Markup {
  const tone = (index: number) => timeTone(index, spectra.length);
  const halofit = spectrum(spectra.at(-1)!.rows, (row) => row.halofit);
  const series: ChartSeries[] = [
    { points: halofit, tone: "muted", band: true },
    ...spectra.flatMap(({ rows }, i) => [
      { points: spectrum(rows, ({ linear }) => linear), tone: tone(i), dashed: true },
      { points: spectrum(rows, ({ power }) => power), tone: tone(i) },
    ]),
  ];
  const all = data.spectra?.length ?? 0;
  const keys: LegendKey[] = spectra.map(({ time }, i) => ({ tone: tone(i), text: moment(data, time) }));
  if (halofit.length > 0) keys.push({ ...DASHED, text: "linear" }, { tone: "muted", band: true, text: "Halofit" });
  return lineFigure({
    ...{ title: "Power spectrum", keys },
    ...(all > spectra.length && {
      note: `${spectra.length} of ${all} times, so that the curves can be told apart; power_*.csv have them all.`,
    }),
    description: "Power spectrum against wavenumber at the snapshots, with linear theory dashed and Halofit as a band",
    x: wavenumber(data),
    y: { label: `P(k) [${volumeUnit(data.units)}]`, scale: "log" },
    series: series.filter((one) => one.points.length > 1),
  });
}

function ratioFigure(data: ReportData, { rows, time, nyquist }: MeasuredSpectrum): Markup {
  const within = rows.filter(({ k }) => k < nyquist);
  const over = (theory: "linear" | "halofit") =>
    spectrum(within, ({ power, [theory]: value }) => (value ? power / value : undefined));
  const sampling = within.map(({ k, modes }) => [k, 1 - Math.sqrt(2 / modes), 1 + Math.sqrt(2 / modes)] as const);
  return lineFigure({
    title: "Power over theory",
    keys: [{ text: `over Halofit, ${moment(data, time)}` }, { ...DASHED, text: "over linear theory" }],
    description: "Measured power over linear theory and over Halofit at the end; the area is the sampling error",
    x: wavenumber(data),
    y: { label: "P / P theory", domain: [0.5, 1.5] },
    series: [{ points: over("linear"), ...DASHED }, { points: over("halofit") }],
    areas: [{ points: sampling, tone: "muted" }],
    rules: [{ at: 1 }],
  });
}

/** A halo's mean density over that of the box, where its edge is taken to be. */
const OVERDENSITY = 200;

/** Mass of a halo whose radius is one cell: smaller ones are smoothed away, and fewer than theory has. */
function cellMass({ totalMass, pairs, summary: { cells } }: ReportData): number | undefined {
  return cells === null || pairs ? undefined : ((4 * Math.PI) / 3) * OVERDENSITY * (totalMass / cells ** 3);
}

interface MassFunctionRow {
  mass: number;
  /** dn/dlnM and its Poisson error [1/length³]. */
  density: number;
  error: number;
}

interface MassFunctionContent<Row extends MassFunctionRow> {
  title: string;
  about: string;
  rows: readonly Row[];
  theory: readonly (LineStyle & { of: (row: Row) => number | undefined; text: string })[];
  /** Of the lightest halo that could be found [mass]; 0 where it isn't known. */
  leastMass: number;
  leastText: string;
}

export function massFunctionFigure<Row extends MassFunctionRow>(data: ReportData, content: MassFunctionContent<Row>) {
  const { units } = data;
  const { title, about, rows, leastMass, leastText } = content;
  const found: ChartSeries = {
    points: rows.map(({ mass, density }) => [mass, density]),
    errors: rows.map(({ density, error }) => [density - error, density + error]),
    marks: "dot",
    line: false,
  };
  const theory = content.theory
    .map(({ of, ...style }) => ({ points: points(rows, ({ mass }) => mass, of), ...style }))
    .filter((one) => one.points.length > 0);
  const smoothed = cellMass(data);
  return lineFigure({
    ...{ title, about, keys: [] },
    ...(theory.length > 0 && { keys: [{ ...found, text: about }, ...theory] }),
    description: `Number of haloes per logarithm of mass and volume: ${about}`,
    x: { label: `M [${units.mass || "mass"}]`, scale: "log" },
    y: { label: `dn/dlnM [1/${volumeUnit(units)}]`, scale: "log" },
    series: [...theory, found],
    uprights: [
      ...(leastMass > 0 ? [{ at: leastMass, label: leastText }] : []),
      ...(smoothed ? [{ at: smoothed, label: "radius of a cell" }] : []),
    ],
    ...(smoothed && {
      note:
        `Lighter than ${withUnit(shortNumber(Number(smoothed.toPrecision(2))), units.mass)}, a halo of ${OVERDENSITY} times the mean density has a radius of less than a cell: ` +
        "there the mesh’s softened force makes too few.",
    }),
  });
}

function friendsFigure(data: ReportData, haloes: NonNullable<ReportData["haloes"]>): Markup {
  const { massFunction: rows, count, linkingLength, minimumMembers, leastMass } = haloes;
  const linked = withUnit(shortNumber(linkingLength), data.units.length);
  return massFunctionFigure(data, {
    title: "Mass function of haloes",
    about: `${thinGrouped(count)} haloes of ${minimumMembers} particles or more, friends below ${linked}`,
    ...{ rows, leastMass, leastText: `${minimumMembers} particles` },
    theory: [
      { of: ({ shethTormen }) => shethTormen, tone: "third", text: "Sheth–Tormen" },
      { of: ({ tinker }) => tinker, tone: "second", text: "Tinker 2008" },
      { of: ({ pressSchechter }) => pressSchechter, ...DASHED, text: "Press–Schechter" },
    ],
  });
}
