/** The cosmological part of report.html: power spectra against theory, and the mass function of haloes. */

import type { MeasuredSpectrum, SpectrumRow } from "../../io/spectrum.ts";
import { type ChartSeries, lineChart, shortNumber, type Tone } from "../../page/charts.ts";
import { moment, type ReportData, withUnit } from "../../page/report-model.ts";
import { chartFigure, type Key } from "./curves.ts";

/** Spectra beyond this number are thinned out; the first and the last always stay. */
const MOST_SPECTRA = 5;

function thinned<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]);
}

const tone = (index: number, last: number): Tone => (index === last ? "accent" : (`v${1 + (index % 7)}` as Tone));

/** P(k) at the snapshots, the last one over theory, the mass function; none without a spectrum or a catalogue. */
export function cosmology(data: ReportData): string[] {
  const { spectra = [], haloes } = data;
  return [
    ...(spectra.length > 0 ? [powerFigure(data, thinned(spectra, MOST_SPECTRA))] : []),
    ...(spectra.at(-1)?.rows.some(({ halofit }) => halofit !== undefined) ? [ratioFigure(data, spectra.at(-1)!)] : []),
    ...(haloes && haloes.massFunction.length > 0 ? [massFunctionFigure(data)] : []),
  ];
}

const perLength = ({ units }: ReportData) => (units.length === "Mpc/h" ? "h/Mpc" : `1/${units.length || "length"}`);

function points(rows: readonly SpectrumRow[], value: (row: SpectrumRow) => number | undefined): ChartSeries["points"] {
  return rows.flatMap((row) => {
    const y = value(row);
    return y !== undefined && y > 0 ? [[row.k, y] as const] : [];
  });
}

function powerFigure(data: ReportData, spectra: readonly MeasuredSpectrum[]): string {
  const last = spectra.length - 1;
  const final = spectra[last];
  const series: ChartSeries[] = spectra.flatMap(({ rows }, i) => [
    { points: points(rows, ({ linear }) => linear), tone: tone(i, last), dashed: true },
    { points: points(rows, ({ power }) => power), tone: tone(i, last) },
  ]);
  const halofit = points(final.rows, (row) => row.halofit);
  if (halofit.length > 0) series.unshift({ points: halofit, tone: "muted", band: true });
  const keys: Key[] = [
    ...spectra.map(({ time }, i) => ({ tone: tone(i, last), text: moment(data, time) })),
    ...(halofit.length > 0
      ? [
          { tone: "muted" as const, dashed: true, text: "linear" },
          { tone: "muted" as const, band: true, text: "Halofit" },
        ]
      : []),
  ];
  return chartFigure(
    "Power spectrum",
    "",
    lineChart({
      description:
        "Power spectrum against wavenumber at the snapshots, with linear theory dashed and Halofit as a band",
      x: { label: `k [${perLength(data)}]`, scale: "log" },
      y: { label: `P(k) [(${data.units.length || "length"})³]`, scale: "log" },
      series: series.filter((one) => one.points.length > 1),
    }),
    keys,
  );
}

function ratioFigure(data: ReportData, { rows, time, nyquist }: MeasuredSpectrum): string {
  const ratio = (row: SpectrumRow, to: number | undefined) => (to ? row.power / to : undefined);
  const within = rows.filter(({ k }) => k < nyquist);
  return chartFigure(
    "Power over theory",
    "",
    lineChart({
      description: "Measured power over linear theory and over Halofit at the end; the area is the sampling error",
      x: { label: `k [${perLength(data)}]`, scale: "log" },
      y: { label: "P / P theory", domain: [0.5, 1.5] },
      series: [
        { points: points(within, (row) => ratio(row, row.linear)), tone: "muted", dashed: true },
        { points: points(within, (row) => ratio(row, row.halofit)) },
      ],
      areas: [
        {
          points: within.map(({ k, modes }) => [k, 1 - Math.sqrt(2 / modes), 1 + Math.sqrt(2 / modes)] as const),
          tone: "muted",
        },
      ],
      rules: [{ at: 1 }],
    }),
    [
      { tone: "accent", text: `over Halofit, ${moment(data, time)}` },
      { tone: "muted", dashed: true, text: "over linear theory" },
    ],
  );
}

function massFunctionFigure(data: ReportData): string {
  const { massFunction, count, linkingLength, minimumMembers } = data.haloes!;
  const curve = (value: (row: (typeof massFunction)[number]) => number | undefined): ChartSeries["points"] =>
    massFunction.flatMap((row) => {
      const y = value(row);
      return y !== undefined && y > 0 ? [[row.mass, y] as const] : [];
    });
  const theory = massFunction.some(({ tinker }) => tinker !== undefined);
  const about = `${count.toLocaleString("en")} haloes of ${minimumMembers} particles or more, linked below ${withUnit(shortNumber(linkingLength), data.units.length)}`;
  return chartFigure(
    "Mass function of haloes",
    about,
    lineChart({
      description: `Number of haloes per logarithm of mass and volume: ${about}`,
      x: { label: `M [${data.units.mass || "mass"}]`, scale: "log" },
      y: { label: `dn/dlnM [1/(${data.units.length || "length"})³]`, scale: "log" },
      series: [
        { points: curve(({ density }) => density), marks: "dot", line: false },
        { points: curve(({ tinker }) => tinker), tone: "second" },
        { points: curve(({ pressSchechter }) => pressSchechter), tone: "muted", dashed: true },
      ].filter((one) => one.points.length > 0) as ChartSeries[],
      areas: [
        {
          points: massFunction.map(
            ({ mass, density, error }) => [mass, Math.max(density - error, density * 1e-3), density + error] as const,
          ),
        },
      ],
    }),
    theory
      ? [
          { tone: "accent", text: `friends of friends, ${count.toLocaleString("en")} haloes` },
          { tone: "second", text: "Tinker 2008" },
          { tone: "muted", dashed: true, text: "Press–Schechter" },
        ]
      : [],
  );
}
