/** What a picture means, in it or above it: time, scale bar, key to the colours; light letters with a dark edge. */
import { scaleLinear } from "d3-scale";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import { powerOfTen, shortNumber } from "../../run/page/numbers.ts";
import { scaleBarLength } from "../../run/page/pictures.ts";
import { densityUnit, withUnit } from "../../run/page/units.ts";
import { coreEdges } from "./cores.ts";
import type { Drawn } from "./picture.ts";
import { quantityRgb, SPECIES_RGB, stretchedTo } from "./tone.ts";

export interface LegendRequest {
  drawn: Drawn;
  /** Pixels of the picture to a CSS pixel: letters are as large as those of the page. */
  ratio: number;
  /** "1.25 Gyr"; none when left out. */
  moment?: string;
  /** Where levels are, and the side of a periodic box. */
  cores?: readonly LevelCore[] | undefined;
  period?: number | undefined;
  /** Names of units; "" where there are none. */
  units: { length: string; mass: string; velocity: string };
}

export interface LegendText {
  text: string;
  /** Where the baseline begins, or ends [pixel]. */
  x: number;
  y: number;
  align: "left" | "right";
}

/** Places in pixels of the picture. */
export interface LegendLayout {
  fontSize: number;
  texts: LegendText[];
  bar: { x: number; y: number; length: number } | undefined;
  /** Colours from the bottom up. */
  ramp: { x: number; y: number; width: number; height: number; ticks: number[] } | undefined;
  swatches: { x: number; y: number; size: number; rgb: readonly number[] }[];
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** [CSS pixel] */
const FONT = 12;
const MARGIN = 12;
const RAMP_WIDTH = 10;
const RAMP_HEIGHT = 130;
const TICK = 4;
/** Share of the picture's height. */
const MOST_RAMP = 0.4;
/** A picture smaller than that has no room for a legend [CSS pixel]. */
const LEAST = 100;

/** Where everything stands; what would be empty is left out. */
export function legendLayout({ drawn, ratio, moment, units }: LegendRequest): LegendLayout {
  const { width, height, pixel, range } = drawn;
  const [margin, fontSize] = [MARGIN * ratio, FONT * ratio];
  const layout: LegendLayout = { fontSize, texts: [], bar: undefined, ramp: undefined, swatches: [] };
  if (Math.min(width, height) < LEAST * ratio) return layout;
  if (moment) layout.texts.push({ text: moment, x: margin, y: margin + fontSize, align: "left" });
  const length = scaleBarLength(width * pixel);
  layout.bar = { x: margin, y: height - margin, length: length / pixel };
  const label = withUnit(shortNumber(length), units.length);
  layout.texts.push({ text: label, x: margin, y: height - margin - fontSize * 0.7, align: "left" });
  const right = width - margin;
  if (range.quantity === "species") {
    for (const [i, species] of [...range.maps].reverse().entries()) {
      const y = height - margin - 1.5 * fontSize * i;
      layout.swatches.push({ x: right - fontSize, y: y - 0.85 * fontSize, size: fontSize, rgb: SPECIES_RGB[species] });
      layout.texts.push({ text: species.replace("-", " "), x: right - 1.5 * fontSize, y, align: "right" });
    }
    return layout;
  }
  if (!(range.brightest[0] > 0)) return layout;
  const rampHeight = Math.min(RAMP_HEIGHT * ratio, MOST_RAMP * height);
  const ramp = {
    x: right - RAMP_WIDTH * ratio,
    y: height - margin - rampHeight,
    width: RAMP_WIDTH * ratio,
    height: rampHeight,
  };
  const ticks = rampTicks(drawn, rampHeight / (2.2 * fontSize));
  layout.ramp = { ...ramp, ticks: ticks.map(({ t }) => ramp.y + (1 - t) * rampHeight) };
  for (const { t, label: text } of ticks) {
    const y = ramp.y + (1 - t) * rampHeight + 0.35 * fontSize;
    layout.texts.push({ text, x: ramp.x - (TICK + 2) * ratio, y, align: "right" });
  }
  layout.texts.push({ text: titleOf(drawn, units), x: right, y: ramp.y - 0.8 * fontSize, align: "right" });
  return layout;
}

function titleOf({ range }: Drawn, units: LegendRequest["units"]): string {
  const within = (name: string, unit: string) => (unit === "" ? name : `${name} [${unit}]`);
  if (range.quantity === "velocity") return within("velocity away", units.velocity);
  if (range.quantity === "dispersion") return within("dispersion", units.velocity);
  return within("density", densityUnit(units, 2));
}

/** Values on the colour bar with their places on it [0…1], about `most` of them. */
export function rampTicks(
  { range }: Pick<Drawn, "range">,
  most: number,
): { t: number; value: number; label: string }[] {
  const { quantity, stretch, contrast } = range;
  const [high] = range.brightest;
  const asTick = (value: number, t: number, label = shortNumber(value)) => ({ value, t, label });
  if (quantity === "velocity") {
    const values = scaleLinear([-high, high], [0, 1]).ticks(Math.max(2, most));
    return values.map((value) => asTick(value, 0.5 + value / (2 * high)));
  }
  if (quantity === "dispersion" || stretch === "linear") {
    const values = scaleLinear([0, high], [0, 1]).ticks(Math.max(2, most));
    return values.map((value) => asTick(value, value / high));
  }
  const powers: number[] = [];
  const last = Math.floor(Math.log10(high) + 1e-9);
  for (let n = Math.ceil(Math.log10(high / contrast) - 1e-9); n <= last; n++) powers.push(n);
  const every = Math.ceil(powers.length / Math.max(1, most));
  const chosen = powers.filter((n) => (last - n) % every === 0);
  return chosen.map((n) => asTick(10 ** n, stretchedTo(stretch, contrast, 10 ** n / high), powerOfTen(n)));
}

/** The edges of cores, thinner than anything else. */
function drawCores(context: Context, { drawn, ratio, cores = [], period }: LegendRequest): void {
  const { width, height, pixel, view } = drawn;
  if (cores.length === 0 || !view.cores) return;
  context.beginPath();
  for (const edge of coreEdges(cores, { ...view.camera, period })) {
    const [x0, y0, x1, y1] = edge.map((d) => d / pixel);
    context.moveTo(width / 2 + x0, height / 2 - y0);
    context.lineTo(width / 2 + x1, height / 2 - y1);
  }
  context.strokeStyle = "rgb(255 255 255 / 55%)";
  context.lineWidth = ratio;
  context.stroke();
}

/** Draws a legend onto a 2D canvas of the picture's size; what is there stays. */
export function drawLegend(context: Context, request: LegendRequest): void {
  const { ratio, drawn } = request;
  const { fontSize, texts, bar, ramp, swatches } = legendLayout(request);
  context.save();
  drawCores(context, request);
  context.font = `${fontSize}px system-ui, "DejaVu Sans", sans-serif`;
  context.lineJoin = "round";
  if (ramp) drawRamp(context, ramp, drawn);
  for (const { x, y, size, rgb } of swatches) {
    context.fillStyle = `rgb(${rgb.join(" ")})`;
    context.fillRect(x, y, size, size);
  }
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  };
  const lines = () => {
    context.beginPath();
    if (bar) {
      const [end, top, bottom] = [bar.x + bar.length, bar.y - 3 * ratio, bar.y + 3 * ratio];
      line(bar.x, top, bar.x, bottom);
      line(bar.x, bar.y, end, bar.y);
      line(end, top, end, bottom);
    }
    for (const y of ramp?.ticks ?? []) line(ramp!.x - TICK * ratio, y, ramp!.x, y);
    context.stroke();
  };
  context.strokeStyle = "rgb(0 0 0 / 75%)";
  context.lineWidth = 4 * ratio;
  lines();
  context.lineWidth = 3 * ratio;
  for (const text of texts) write(text, (...at) => context.strokeText(...at));
  context.strokeStyle = context.fillStyle = "white";
  context.lineWidth = 1.5 * ratio;
  lines();
  for (const text of texts) write(text, (...at) => context.fillText(...at));
  context.restore();

  function write({ text, x, y, align }: LegendText, put: (text: string, x: number, y: number) => void): void {
    context.textAlign = align;
    put(text, x, y);
  }
}

function drawRamp(
  context: Context,
  { x, y, width, height }: NonNullable<LegendLayout["ramp"]>,
  { range }: Drawn,
): void {
  const rows = Math.max(1, Math.round(height));
  context.fillStyle = "rgb(0 0 0 / 75%)";
  context.fillRect(x - 1, y - 1, width + 2, height + 2);
  for (let row = 0; row < rows; row++) {
    const rgb = quantityRgb(range.quantity, 1 - (row + 0.5) / rows);
    context.fillStyle = `rgb(${rgb.join(" ")})`;
    context.fillRect(x, y + (row * height) / rows, width, height / rows + 0.5);
  }
}
