/** What a picture's colours and lengths mean, drawn into it: a scale bar, the time, and the colours with their values. */
import { shortNumber } from "../../page/numbers.ts";
import { scaleBarLength } from "../../page/pictures.ts";
import { densityUnit, momentInTerminal, withUnit } from "../../page/units.ts";
import type { Drawn } from "../../view/picture.ts";
import { quantityRgb, SPECIES_RGB } from "../../view/tone.ts";
import type { PaneState } from "../stage.ts";

type Context = OffscreenCanvasRenderingContext2D;

/** Of a picture of this width or height letters are as large as the page's; of a larger one they grow with it. */
const USUAL = 600;
/** In letters' heights: from the edge, of lines, and of colours. */
const [MARGIN, LINE, BAR] = [1, 1.5, 0.75];
const LETTER = 13;
const INK = "rgb(255 255 255 / 92%)";
/** Behind the ink, so that it is read on any colour. */
const SHADE = "rgb(0 0 0 / 85%)";

export type LegendState = Pick<PaneState, "time" | "units" | "title">;

/** Over the picture in the canvas's upper left corner. `letters`: their height [pixel]. */
export function drawLegend(context: Context, drawn: Drawn, state: LegendState, letters = letterHeight(drawn)): void {
  const { width, height } = drawn;
  context.save();
  context.font = `${letters}px system-ui, sans-serif`;
  context.lineJoin = "round";
  context.lineWidth = letters / 4;
  const place = { left: MARGIN * letters, right: width - MARGIN * letters, bottom: height - MARGIN * letters, letters };
  drawScale(context, drawn, state, place);
  drawColours(context, drawn, state, place);
  write(context, momentInTerminal(state.time, state.units.time), place.left, (MARGIN + 1) * letters, "left");
  context.restore();
}

/** Of a picture that is a file. */
export const letterHeight = ({ width, height }: { width: number; height: number }) =>
  LETTER * Math.max(1, Math.min(width, height) / USUAL);

interface Place {
  left: number;
  right: number;
  bottom: number;
  letters: number;
}

function write(context: Context, text: string, x: number, y: number, align: CanvasTextAlign): void {
  context.textAlign = align;
  context.strokeStyle = SHADE;
  context.strokeText(text, x, y);
  context.fillStyle = INK;
  context.fillText(text, x, y);
}

function drawScale(context: Context, { pixel, width }: Drawn, { units }: LegendState, place: Place): void {
  const length = scaleBarLength(pixel * width);
  const wide = length / pixel;
  const { left, bottom, letters } = place;
  const thick = Math.max(2, letters / 6);
  context.fillStyle = SHADE;
  context.fillRect(left - 1, bottom - thick - 1, wide + 2, thick + 2);
  context.fillStyle = INK;
  context.fillRect(left, bottom - thick, wide, thick);
  write(context, withUnit(shortNumber(length), units.length), left, bottom - thick - letters / 2, "left");
}

/** A bar with its ends' values, or a square for each species. */
function drawColours(context: Context, { range, width }: Drawn, { units }: LegendState, place: Place): void {
  const { quantity, stretch, contrast, brightest, maps } = range;
  const { right, bottom, letters } = place;
  if (quantity === "species") {
    for (const [i, species] of maps.entries()) {
      const y = bottom - i * LINE * letters;
      write(context, species, right - 1.5 * letters, y, "right");
      context.fillStyle = `rgb(${SPECIES_RGB[species].join(" ")})`;
      context.fillRect(right - letters, y - BAR * letters, letters, BAR * letters);
    }
    return;
  }
  const [most = 0] = brightest;
  if (!(most > 0)) return;
  const wide = Math.round(Math.min(0.3 * width, 16 * letters));
  const [x, high] = [right - wide, BAR * letters];
  context.fillStyle = SHADE;
  context.fillRect(x - 1, bottom - high - 1, wide + 2, high + 2);
  for (let i = 0; i < wide; i++) {
    context.fillStyle = `rgb(${quantityRgb(quantity, i / Math.max(1, wide - 1)).join(" ")})`;
    context.fillRect(x + i, bottom - high, 1, high);
  }
  const least = quantity === "velocity" ? -most : quantity === "density" && stretch === "log" ? most / contrast : 0;
  const above = bottom - high - letters / 2;
  write(context, shortNumber(least, 2), x, above, "left");
  write(context, shortNumber(most, 2), right, above, "right");
  const unit = quantity === "density" ? densityUnit(units, 2) : units.velocity;
  const what = { density: "surface density", velocity: "velocity away", dispersion: "dispersion" }[quantity];
  write(context, unit ? `${what} [${unit}]` : what, right, above - LINE * letters, "right");
}
