/** P(k) of an ensemble on its page: mean and scatter, the scatter compared with that of a Gaussian field, correlation of the bins. */
import { type ChartSeries, lineChart, type Points } from "../../../run/page/charts.ts";
import { timeTone } from "../../../run/page/colours.ts";
import { figure, lineFigure } from "../../../run/page/html.ts";
import { html, type Markup } from "../../../run/page/markup.ts";
import { percentage, small } from "../../../run/page/numbers.ts";
import { differenceRamp, evenlyPicked } from "../../../run/page/picture-html.ts";
import { dataUrl, differencePng } from "../../../run/page/pictures.ts";
import { type UnitLabels, volumeUnit } from "../../../run/page/units.ts";
import type { Collected } from "./hdf5.ts";
import { type CollectedSpectrum, deviationOf } from "./spectra.ts";

type Spectrum = Collected["spectra"][number];

const MOST_SPECTRA = 4;
const LEAST_CORRELATED = 3;
/** Side of the picture of correlations, at least [pixel]. */
const PICTURE = 240;

interface SpectraPage {
  spectra: readonly Spectrum[];
  units: UnitLabels;
  moment: (time: number) => string;
}

export function spectraFigures(page: SpectraPage): Markup[] {
  const { spectra } = page;
  const last = spectra.at(-1);
  if (!last) return [];
  const several = evenlyPicked(spectra, MOST_SPECTRA);
  return [
    powerFigure(page, several),
    ...(last.members.length > 1 ? [scatterFigure(page, several)] : []),
    ...(last.members.length >= LEAST_CORRELATED ? [correlationFigure(page, last)] : []),
  ];
}

const wavenumber = ({ units }: SpectraPage) => ({
  label: `k [${units.length === "Mpc/h" ? "h/Mpc" : `1/${units.length || "length"}`}]`,
});

const against = (k: Float64Array, values: ArrayLike<number>): Points =>
  Array.from(k, (at, i) => [at, values[i]] as const);

function powerFigure(page: SpectraPage, spectra: readonly Spectrum[]): Markup {
  const tone = (i: number) => timeTone(i, spectra.length);
  const noise = spectra.at(-1)!;
  const theory = spectra.some(({ linear }) => linear);
  const scattered = spectra.some(({ members }) => members.length > 1);
  const series: ChartSeries[] = [
    { points: against(noise.k, noise.shotNoise), tone: "muted", label: "noise" },
    ...spectra.flatMap(({ k, mean, linear }, i) => [
      ...(linear ? [{ points: against(k, linear), tone: tone(i), dashed: true }] : []),
      { points: against(k, mean), tone: tone(i) },
    ]),
  ];
  const areas = spectra.map((spectrum, i) => {
    const { k, mean } = spectrum;
    const deviation = deviationOf(spectrum);
    const points = Array.from(k, (at, b) => [at, mean[b] - deviation[b], mean[b] + deviation[b]] as const);
    return { tone: tone(i), points };
  });
  const counts = [...new Set(spectra.map(({ members }) => members.length))];
  return lineFigure({
    title: `Power spectrum, mean of ${counts.join(" or ")}`,
    keys: [
      ...spectra.map(({ time }, i) => ({ tone: tone(i), text: page.moment(time) })),
      ...(scattered ? [{ tone: "muted" as const, band: true, text: "± σ of a member" }] : []),
      ...(theory ? [{ tone: "muted" as const, dashed: true, text: "linear" }] : []),
    ],
    description: "Mean power spectrum of the members against wavenumber, with the standard deviation of a member",
    x: { ...wavenumber(page), scale: "log" },
    y: { label: `P(k) [${volumeUnit(page.units)}]`, scale: "log" },
    ...{ series, ...(scattered && { areas }) },
    note: "The power holds the shot noise, which is drawn by itself in grey.",
  });
}

function scatterFigure(page: SpectraPage, spectra: readonly Spectrum[]): Markup {
  const shown = spectra
    .map((spectrum, i) => ({ spectrum, tone: timeTone(i, spectra.length) }))
    .filter(({ spectrum }) => spectrum.members.length > 1);
  const last = shown.at(-1)!.spectrum;
  const gaussian = Array.from(last.modes, (modes) => Math.sqrt(2 / modes));
  return lineFigure({
    title: "Scatter of the power",
    keys: [
      ...shown.map(({ spectrum, tone }) => ({ tone, text: page.moment(spectrum.time) })),
      { tone: "muted", dashed: true, text: "Gaussian field" },
    ],
    description: "Standard deviation over mean of the power against wavenumber, and that of a Gaussian field",
    x: { ...wavenumber(page), scale: "log" },
    y: { label: "σ / P", scale: "log" },
    series: [
      { points: against(last.k, gaussian), tone: "muted", dashed: true },
      ...shown.map(({ spectrum, tone }) => {
        const scatter = deviationOf(spectrum).map((value, b) => value / spectrum.mean[b]);
        return { points: against(spectrum.k, scatter), tone };
      }),
    ],
    note: `Of a Gaussian field √(2 / modes). With ${last.members.length} members σ itself is known to ${percentage(1 / Math.sqrt(2 * (last.members.length - 1)))}.`,
  });
}

/** The correlation of bins as pixels, each bin as wide as its shell; the largest k at the top. */
function correlationMap({ correlation, k }: Pick<CollectedSpectrum, "correlation" | "k">) {
  const size = k.length;
  const scale = Math.max(1, Math.ceil(PICTURE / size));
  const side = size * scale;
  const values = Float32Array.from({ length: side * side }, (_, pixel) => {
    const [row, column] = [Math.floor(pixel / side), pixel % side].map((at) => Math.floor(at / scale));
    const value = correlation[(size - 1 - row) * size + column];
    return Number.isFinite(value) ? value : 0;
  });
  return { values, width: side, height: side };
}

function correlationFigure(page: SpectraPage, spectrum: Spectrum): Markup {
  const { low, high, members, time } = spectrum;
  const edges = [low[0], high[high.length - 1]] as const;
  const count = members.length;
  const chance = small(1 / Math.sqrt(count - 1));
  const { label } = wavenumber(page);
  const svg = lineChart({
    description: "Correlation of the power between bins of wavenumber",
    x: { label },
    y: { label },
    series: [],
    image: { url: dataUrl(differencePng(correlationMap(spectrum), 1)), x: edges, y: edges },
    height: 360,
  });
  return figure({
    title: `Correlation of bins, ${page.moment(time)}`,
    about: "covariance over both standard deviations: 1 on the diagonal",
    svg: html`${svg}${differenceRamp(1, "Correlation of P(k) and P(k′)", { ...page.units, mass: "" })}`,
    note:
      `Of ${count} members: by chance alone ±${chance}. ` +
      (count <= spectrum.k.length
        ? `The covariance has a rank of at most ${count - 1}, less than its ${spectrum.k.length} bins: it can't be inverted.`
        : ""),
  });
}
