/** The statistics of [spectra] in report.html: multipoles, correlations between components, triangles, ξ(r). */
import type { StatisticTable } from "../clustering.ts";
import type { ClusteringAt } from "../outputs/clustering.ts";
import type { ChartSeries, Points } from "../page/charts.ts";
import { seriesTone, type Tone, timeTone } from "../page/colours.ts";
import { type LegendKey, lineFigure } from "../page/html.ts";
import type { Markup } from "../page/markup.ts";
import { evenlyPicked } from "../page/picture-html.ts";
import { wavenumber } from "./cosmology.ts";
import { moment, type ReportData } from "./model.ts";

const MOST_TIMES = 5;
const TONES: readonly Tone[] = ["accent", "second", "third"];

export function clusteringFigures(data: ReportData): Markup[] {
  const { clustering = [] } = data;
  const last = clustering.at(-1);
  if (!last) return [];
  const { multipoles, cross, bispectrum, correlation } = last;
  return [
    multipoles && multipoleFigure(data, multipoles),
    cross && crossFigure(data, cross),
    bispectrum && bispectrumFigure(data, bispectrum),
    correlation && correlationFigure(data, clustering),
  ].flatMap((figure) => figure || []);
}

/** Points of a table, by the names of its columns. */
function curve({ columns, rows }: StatisticTable, x: string, y: (row: (name: string) => number) => number): Points {
  return rows.map((row) => {
    const value = (name: string) => row[columns.indexOf(name)];
    return [value(x), y(value)] as const;
  });
}

const atTheEnd = (data: ReportData) => moment(data, data.clustering!.at(-1)!.time);

function multipoleFigure(data: ReportData, table: StatisticTable): Markup {
  const kaiser = table.columns.includes("kaiser0");
  const weighted = (name: string) => curve(table, "k", (value) => value("k") * value(name));
  const series = TONES.flatMap((tone, i): ChartSeries[] => [
    ...(kaiser ? [{ points: weighted(`kaiser${2 * i}`), tone, dashed: true }] : []),
    { points: weighted(`P${2 * i}`), tone },
  ]);
  const keys: LegendKey[] = TONES.map((tone, i) => ({ tone, text: `ℓ = ${2 * i}` }));
  if (kaiser) keys.push({ tone: "muted", dashed: true, text: "Kaiser 1987" });
  return lineFigure({
    ...{ title: "Multipoles in redshift space", about: atTheEnd(data), keys, series },
    description:
      "Monopole, quadrupole and hexadecapole of the power in redshift space times k, against Kaiser's, dashed",
    x: wavenumber(data),
    y: { label: `k Pℓ(k) [(${data.units.length || "length"})²]` },
    rules: [{ at: 0 }],
  });
}

function crossFigure(data: ReportData, table: StatisticTable): Markup {
  const pairs = table.columns.filter((name) => name.startsWith("correlation."));
  return lineFigure({
    ...{ title: "Correlation of components", about: atTheEnd(data) },
    keys: pairs.map((name, i) => ({ tone: seriesTone(i), text: name.replace("correlation.", "").replace(".", " × ") })),
    description: "Cross-power of every two components over the root of their powers, against wavenumber",
    x: wavenumber(data),
    y: { label: "r(k)", domain: [0, 1] },
    series: pairs.map((name, i) => ({ points: curve(table, "k", (value) => value(name)), tone: seriesTone(i) })),
    rules: [{ at: 1 }],
  });
}

function bispectrumFigure(data: ReportData, table: StatisticTable): Markup {
  const smallest = Math.min(...table.rows.map((row) => row[2]));
  const of = (isSo: (k1: number, k2: number, k3: number) => boolean) =>
    curve({ ...table, rows: table.rows.filter(([k1, k2, k3]) => isSo(k1, k2, k3)) }, "k1", (value) => value("reduced"));
  const equilateral = of((k1, k2, k3) => k1 === k2 && k2 === k3);
  const squeezed = of((k1, k2, k3) => k1 === k2 && k3 === smallest);
  return lineFigure({
    ...{ title: "Reduced bispectrum", about: atTheEnd(data) },
    keys: [
      { tone: "accent", marks: "dot", text: "k, k, k" },
      { tone: "second", marks: "dot", text: "k, k, least k" },
    ],
    description: "Bispectrum over products of powers of equilateral and of squeezed triangles, against wavenumber",
    x: wavenumber(data),
    y: { label: "Q", domain: [0, 1] },
    series: [
      { points: equilateral, tone: "accent", marks: "dot" },
      { points: squeezed, tone: "second", marks: "dot" },
    ],
  });
}

function correlationFigure(data: ReportData, clustering: readonly ClusteringAt[]): Markup {
  const times = evenlyPicked(clustering, MOST_TIMES);
  const tone = (index: number) => timeTone(index, times.length);
  const scaled = (one: ClusteringAt) => curve(one.correlation!, "r", (value) => value("r") ** 2 * value("xi"));
  const { length } = data.units;
  return lineFigure({
    title: "Two-point correlation",
    keys: times.map(({ time }, i) => ({ tone: tone(i), text: moment(data, time) })),
    description: "Two-point correlation function times the separation squared at the snapshots",
    x: { label: `r [${length || "length"}]`, scale: "log" },
    y: { label: `r² ξ(r) [(${length || "length"})²]` },
    series: times.map((one, i) => ({ points: scaled(one), tone: tone(i) })),
    rules: [{ at: 0 }],
  });
}
