/** The pictures of report.html: projected density at the snapshot times with scale bars and a colour key. */
import { escapeHtml, powerOfTen, shortNumber } from "./charts.ts";
import {
  commonStretch,
  dataUrl,
  densityPng,
  type Stretch,
  scaleBarLength,
  smoothedMap,
  stretchColour,
} from "./pictures.ts";
import { moment, type ReportData, type ReportMap, withUnit } from "./report-model.ts";

/** More pictures than this are thinned out evenly; the first and the last always stay. */
const MOST_PICTURES = 12;

function thinned<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]);
}

function picture(map: ReportMap, stretch: Stretch | undefined, alternative: string, bar: string): string {
  const png = dataUrl(densityPng(map, stretch));
  return `<span class="picture"><img src="${png}" width="${map.width}" height="${map.height}" alt="${escapeHtml(alternative)}">${bar}</span>`;
}

function ramp(stretch: Stretch, label: string): string {
  const stops = Array.from({ length: 13 }, (_, i) => `${stretchColour(i / 12)} ${number((100 * i) / 12)}%`).join(", ");
  const [low, high] = [Math.log10(stretch.floor), Math.log10(stretch.ceiling)];
  const ticks: string[] = [];
  for (let n = Math.ceil(low); n <= high; n++) {
    ticks.push(`<span style="left:${number((100 * (n - low)) / (high - low))}%">${powerOfTen(n)}</span>`);
  }
  return `<div class="ramp"><div class="bar" style="background:linear-gradient(to right, ${stops})"></div><div class="ticks">${ticks.join("")}</div>${escapeHtml(label)}</div>`;
}

const number = (value: number) => String(Number(value.toFixed(2)));

function calm(map: ReportMap): ReportMap {
  return map.quantum > 0 ? { ...map, ...smoothedMap(map, map.quantum) } : map;
}

/** Section with a figure a snapshot; empty without snapshots. */
export function pictureSection(data: ReportData): string {
  if (data.snapshots.length === 0) return "";
  const snapshots = thinned(data.snapshots, MOST_PICTURES).map(({ time, faceOn, edgeOn }) => ({
    time,
    faceOn: calm(faceOn),
    edgeOn: edgeOn && calm(edgeOn),
  }));
  const stretch = commonStretch(snapshots.map((s) => s.faceOn));
  const edgeStretch = commonStretch(snapshots.flatMap((s) => (s.edgeOn ? [s.edgeOn] : [])));
  const figures = snapshots.map(({ time, faceOn, edgeOn }) => {
    const length = scaleBarLength(faceOn.spanX);
    const bar = `<span class="scale" style="width:${number((100 * length) / faceOn.spanX)}%">${escapeHtml(withUnit(shortNumber(length), data.units.length))}</span>`;
    const at = moment(data, time);
    const face = picture(
      faceOn,
      stretch,
      `Projected density of ${data.shown}${edgeOn ? ", face-on," : ""} at ${at}`,
      bar,
    );
    const edge = edgeOn ? picture(edgeOn, edgeStretch, `The same, edge-on, at ${at}`, "") : "";
    return `<figure>${face}${edge}<figcaption><b>${escapeHtml(at)}</b></figcaption></figure>`;
  });
  const edges = snapshots.some((s) => s.edgeOn);
  const notes = [
    "The same colours at all times, so that they can be compared.",
    edges && stretch && edgeStretch
      ? `The edge-on strips have their own, brightest at ${shortNumber(edgeStretch.ceiling / stretch.ceiling, 2)} times the density.`
      : "",
    snapshots.some((s) => s.faceOn.quantum > 0) ? "Smoothed where particles are few." : "",
    snapshots.length < data.snapshots.length ? `${snapshots.length} of ${data.snapshots.length} snapshots.` : "",
  ];
  const density = data.units.mass === "" ? "mass/length²" : `${data.units.mass}/${data.units.length}²`;
  return [
    `<h2>Projected density${edges ? ", face-on and edge-on" : ""}</h2>`,
    `<div class="pictures" style="--columns:${columns(snapshots.length)}">${figures.join("")}`,
    stretch ? ramp(stretch, `Projected density of ${data.shown} [${density}]`) : "",
    `</div><p class="note">${notes.filter((note) => note !== "").join(" ")}</p>`,
  ].join("");
}

/** Columns of pictures on a wide page: rows as even as possible. */
function columns(pictures: number): number {
  if (pictures <= 4) return Math.max(2, pictures);
  const empty = (n: number) => (n - (pictures % n)) % n;
  return [4, 3, 5].reduce((best, n) => (empty(n) < empty(best) ? n : best));
}
