/** The pictures of compare.html: each variant's projected density at the end, and below it what differs from the first's. */
import { escapeHtml, powerOfTen, shortNumber } from "../page/charts.ts";
import {
  blurred,
  commonStretch,
  dataUrl,
  densityPng,
  type Stretch,
  scaleBarLength,
  smoothedMap,
  stretchColour,
} from "../page/pictures.ts";
import { type ReportMap, withUnit } from "../page/report-model.ts";
import { differencePng, divergingColour } from "./page-colours.ts";
import type { ComparePage } from "./page-model.ts";

/** Share of the pixels whose difference may lie beyond the colours. */
const SATURATED = 2e-3;
/** Differences below this share of the brightest density are not blown up to fill the colours. */
const LEAST_CEILING = 1e-3;

type View = "faceOn" | "edgeOn";
const VIEWS: View[] = ["faceOn", "edgeOn"];

const number = (value: number) => String(Number(value.toFixed(2)));

function calm(map: ReportMap): ReportMap {
  return map.quantum > 0 ? { ...map, ...smoothedMap(map, map.quantum) } : map;
}

/** `map` less `first`, both smoothed with a Gaussian of half a cell: finer than that a mesh decides nothing. */
function minus(map: ReportMap, first: ReportMap, cell: number): ReportMap {
  const sigma = (0.5 * cell * map.width) / map.spanX;
  const smooth = (of: ReportMap) => blurred(Float32Array.from(of.values), of.width, of.height, sigma);
  const [own, other] = [smooth(map), smooth(first)];
  return { ...map, values: own.map((value, i) => value - other[i]) };
}

/** What the lightest colours of the differences stand for [mass/length²]. */
function ceilingOf(maps: readonly ReportMap[], stretch: Stretch | undefined): number {
  const sizes = Float64Array.from(
    maps.flatMap(({ values }) => Array.from(values, Math.abs)).filter((v) => v > 0),
  ).sort();
  const largest = sizes.length === 0 ? 0 : sizes[Math.floor((sizes.length - 1) * (1 - SATURATED))];
  return Math.max(largest, LEAST_CEILING * (stretch?.ceiling ?? 0));
}

function image(png: Uint8Array, { width, height }: ReportMap, alternative: string, bar: string): string {
  return `<span class="picture"><img src="${dataUrl(png)}" width="${width}" height="${height}" alt="${escapeHtml(alternative)}">${bar}</span>`;
}

function ramp(colour: (t: number) => string, ticks: readonly { at: number; text: string }[], label: string): string {
  const stops = Array.from({ length: 17 }, (_, i) => `${colour(i / 16)} ${number((100 * i) / 16)}%`).join(", ");
  const edge = (at: number) => (at < 0.03 ? ' class="start"' : at > 0.97 ? ' class="end"' : "");
  const marks = ticks
    .map(({ at, text }) => `<span${edge(at)} style="left:${number(100 * at)}%">${text}</span>`)
    .join("");
  return `<div class="ramp"><div class="bar" style="background:linear-gradient(to right, ${stops})"></div><div class="ticks">${marks}</div>${escapeHtml(label)}</div>`;
}

function densityTicks({ floor, ceiling }: Stretch): { at: number; text: string }[] {
  const [low, high] = [Math.log10(floor), Math.log10(ceiling)];
  const ticks: { at: number; text: string }[] = [];
  for (let n = Math.ceil(low); n <= high; n++) ticks.push({ at: (n - low) / (high - low), text: powerOfTen(n) });
  return ticks;
}

/** Section with a figure a variant; empty when none came to its end. */
export function pictureSection({ comparison, maps, units, shown, boxSize }: ComparePage): string {
  const cell = boxSize / comparison.variants[0].cells;
  const variants = comparison.variants.flatMap(({ label }, i) => {
    const map = maps[i];
    if (!map) return [];
    return { label, first: i === 0, original: map, faceOn: calm(map.faceOn), edgeOn: map.edgeOn && calm(map.edgeOn) };
  });
  if (variants.length === 0) return "";
  const [first] = variants;
  const hasFirst = first.first;
  const withDifferences = variants.map((variant) => {
    const differences: Partial<Record<View, ReportMap>> = {};
    for (const view of VIEWS) {
      const [own, other] = [variant.original[view], first.original[view]];
      if (hasFirst && !variant.first && own && other) differences[view] = minus(own, other, cell);
    }
    return { ...variant, differences };
  });
  const all = (view: View) => variants.flatMap((variant) => variant[view] ?? []);
  const allDifferences = (view: View) => withDifferences.flatMap(({ differences }) => differences[view] ?? []);
  const stretch = { faceOn: commonStretch(all("faceOn")), edgeOn: commonStretch(all("edgeOn")) };
  const ceiling = {
    faceOn: ceilingOf(allDifferences("faceOn"), stretch.faceOn),
    edgeOn: ceilingOf(allDifferences("edgeOn"), stretch.edgeOn),
  };
  const density = units.mass === "" ? "mass/length²" : `${units.mass}/${units.length}²`;
  const unitless = units.mass === "" ? "" : ` [${density}]`;
  const keys = [
    stretch.faceOn ? ramp(stretchColour, densityTicks(stretch.faceOn), `Projected density [${density}]`) : "",
    withDifferences.length > 1 && hasFirst && ceiling.faceOn > 0
      ? ramp(
          (t) => divergingColour(2 * t - 1),
          [-1, 0, 1].map((t) => ({ at: (t + 1) / 2, text: t === 0 ? "0" : shortNumber(t * ceiling.faceOn, 2) })),
          `Density less that of ${first.label}${unitless}`,
        )
      : "",
  ].join("");

  // Two variants and their difference fit side by side; more get their differences below.
  const inRow = !hasFirst || variants.length <= 2;
  const columns = hasFirst && variants.length === 2 ? 3 : Math.min(4, Math.max(2, variants.length));
  const figures = withDifferences.map((variant) => {
    const length = scaleBarLength(variant.faceOn.spanX);
    const bar = `<span class="scale" style="width:${number((100 * length) / variant.faceOn.spanX)}%">${escapeHtml(withUnit(shortNumber(length), units.length))}</span>`;
    const pictures = VIEWS.map((view) => {
      const map = variant[view];
      const how = view === "edgeOn" ? ", edge-on" : "";
      return map
        ? image(
            densityPng(map, stretch[view]),
            map,
            `Projected density of ${shown}${how}, ${variant.label}`,
            view === "faceOn" ? bar : "",
          )
        : "";
    });
    const differences = VIEWS.map((view) => {
      const map = variant.differences[view];
      const how = view === "edgeOn" ? ", edge-on" : "";
      return map
        ? image(differencePng(map, ceiling[view]), map, `Difference from ${first.label}${how}, ${variant.label}`, "")
        : "";
    }).join("");
    const caption = `<figcaption><b>${escapeHtml(variant.label)}</b></figcaption>`;
    const note = `${escapeHtml(variant.label)} less ${escapeHtml(first.label)}`;
    const own = `${pictures.join("")}${caption}`;
    if (inRow)
      return `<figure>${own}</figure>${differences && `<figure>${differences}<figcaption>${note}</figcaption></figure>`}`;
    const below = variant.first
      ? `<div class="keys">${keys}</div>`
      : differences && `<div class="difference">${differences}<figcaption>${note}</figcaption></div>`;
    return `<figure>${own}${below}</figure>`;
  });
  const edges = all("edgeOn").length > 0;
  const notes = [
    variants.length > 2 ? "All densities are in the same colours, and so are all differences." : "",
    edges ? "The edge-on strips have stretches of their own." : "",
    all("faceOn").some(({ quantum }) => quantum > 0) ? "Densities are smoothed where particles are few." : "",
    hasFirst && variants.length > 1 && ceiling.faceOn > 0 && stretch.faceOn
      ? `Differences are smoothed over a cell; their lightest colours are ${shortNumber((100 * ceiling.faceOn) / stretch.faceOn.ceiling, 2)} % of the brightest density.`
      : "",
  ];
  return [
    `<h2>Projected density at the end${edges ? ", face-on and edge-on" : ""}</h2>`,
    `<div class="pictures" style="--columns:${columns}">${figures.join("")}${inRow ? `<div class="keys row">${keys}</div>` : ""}</div>`,
    `<p class="note">${notes.filter((note) => note !== "").join(" ")}</p>`,
  ].join("");
}
