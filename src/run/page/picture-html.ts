/** Pictures of densities on a page: images with a scale bar, and the keys to their colours. */
import { coordinate } from "./charts.ts";
import { densityColour, differenceColour } from "./colours.ts";
import { html, type Markup } from "./markup.ts";
import { shortNumber, small } from "./numbers.ts";
import { type DensityPicture, dataUrl, decadeTicks, type PictureStretch, scaleBarLength } from "./pictures.ts";
import { densityUnit, type UnitLabels, withUnit } from "./units.ts";

const STOPS = 16;
/** A tick nearer to an end than this is written beside its place, so that it stays inside [share of the ramp]. */
const EDGE = 0.03;

/** A PNG file as an image, with the scale bar of `units` where they are given. */
export function picture(png: Uint8Array, map: DensityPicture, description: string, units?: UnitLabels): Markup {
  const image = html`<img src="${dataUrl(png)}" width="${map.width}" height="${map.height}" alt="${description}">`;
  return html`<span class="picture">${image}${units && map.spanX > 0 && scaleBar(map, units)}</span>`;
}

function scaleBar({ spanX }: DensityPicture, units: UnitLabels): Markup {
  const length = scaleBarLength(spanX);
  const text = withUnit(shortNumber(length), units.length);
  return html`<span class="scale" style="width:${coordinate((100 * length) / spanX)}%">${text}</span>`;
}

function ramp(colour: (t: number) => string, ticks: readonly { at: number; text: string }[], label: string): Markup {
  const stops = Array.from({ length: STOPS + 1 }, (_, i) => `${colour(i / STOPS)} ${coordinate((100 * i) / STOPS)}%`);
  const edge = (at: number) => (at < EDGE ? html` class="start"` : at > 1 - EDGE && html` class="end"`);
  const marks = ticks.map(
    ({ at, text }) => html`<span${edge(at)} style="left:${coordinate(100 * at)}%">${text}</span>`,
  );
  return html`<div class="ramp"><div class="bar" style="background:linear-gradient(to right, ${stops.join(", ")})"></div><div class="ticks">${marks}</div>${label}</div>`;
}

/** The key to the colours of projected densities, in powers of ten. */
export const densityRamp = (stretch: PictureStretch, of: string, units: UnitLabels): Markup =>
  ramp(densityColour, decadeTicks(stretch), `Projected density${of} [${densityUnit(units, 2)}]`);

/** The key to the colours of values from `floor` up to `ceiling`. */
export function linearRamp(ceiling: number, label: string, floor = 0): Markup {
  const value = (at: number) => floor + at * (ceiling - floor);
  const ticks = [0, 0.5, 1].map((at) => ({ at, text: value(at) === 0 ? "0" : small(value(at)) }));
  return ramp(densityColour, ticks, label);
}

/** The key to the colours of differences up to `ceiling` [mass/length²]. */
export function differenceRamp(ceiling: number, label: string, units: UnitLabels): Markup {
  const ticks = [-1, 0, 1].map((t) => ({ at: (t + 1) / 2, text: t === 0 ? "0" : small(t * ceiling) }));
  return ramp((t) => differenceColour(2 * t - 1), ticks, `${label}${units.mass && ` [${densityUnit(units, 2)}]`}`);
}

/** At most so many of the items, evenly picked; the first and the last always stay. */
export function evenlyPicked<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]);
}
