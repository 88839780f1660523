/**
 * A frame: pictures of the projected density side by side and below each other, with what they show, the time, a scale bar
 * and the key to the colours. All that is about them stands beside them, so that no letter hides a star.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { cumsum } from "d3-array";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import { densityRgb } from "../../run/page/colours.ts";
import { html, type Markup } from "../../run/page/markup.ts";
import { shortNumber } from "../../run/page/numbers.ts";
import { decadeTicks, type PictureStretch, type PixelMap, scaleBarLength, stretched } from "../../run/page/pictures.ts";
import { densityUnit, type UnitLabels, withUnit } from "../../run/page/units.ts";
import type { Edge } from "../view/cores.ts";

/** Steps of densities, and from the background to the ink. */
export const COLOUR_STEPS = 224;
const SHADES = 32;

const BACKGROUND = [11, 11, 15];
const INK = [231, 231, 234];

/** The 256 colours of a movie: steps of the density's colours, then from the background to the ink of letters and lines. */
export const PALETTE: readonly number[][] = [
  ...Array.from({ length: COLOUR_STEPS }, (_, i) => densityRgb(i / (COLOUR_STEPS - 1))),
  ...Array.from({ length: SHADES }, (_, i) =>
    BACKGROUND.map((dark, k) => Math.round(dark + (INK[k] - dark) * (i / (SHADES - 1)))),
  ),
];

/** The colour of a share [0…1] of the density's stretch, by number. */
export const levelOf = (share: number): number => Math.round(share * (COLOUR_STEPS - 1));

/** The colour of so much ink [0…1] on the background, by number. */
export const shadeOf = (ink: number): number => COLOUR_STEPS + Math.round(ink * (SHADES - 1));

/** Three bytes a pixel, as encoders of films take them [3·pixels]. */
export function rgbOf(pixels: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(3 * pixels.length);
  for (let i = 0; i < pixels.length; i++) rgb.set(PALETTE[pixels[i]], 3 * i);
  return rgb;
}

/** A picture's place in the frame, row by row. */
export interface Panel {
  row: number;
  column: number;
  /** "face-on, disk" */
  label: string;
  width: number;
  height: number;
  /** What its width spans [length]. */
  span: number;
}

export interface FrameScene {
  title: string;
  panels: readonly Panel[];
  /** Pixels of a frame to a pixel of a map. */
  zoom: number;
  stretch: PictureStretch | undefined;
  units: UnitLabels;
  /** Levels whose frames are drawn, to say what these are. */
  cores: readonly LevelCore[];
}

/** [pixel] */
const MARGIN = 16;
const GAP = 12;
const HEADER = 34;
const LABEL = 22;
const FOOTER = 40;
const RAMP = { gap: 14, width: 14, ticks: 46, label: 20 };
const TEXT = 14;
const TITLE = 16;
/** Ink of lines over pictures. */
const LINE = 0.6;
/** Room for the time, beside the title. */
const MOMENT = 260;

interface Placed extends Panel {
  x: number;
  y: number;
  shownWidth: number;
  shownHeight: number;
}

export class FramePainter {
  readonly width: number;
  readonly height: number;
  readonly #panels: readonly Placed[];
  /** The letters and lines, which stay the same. */
  #still: Uint8Array | undefined;

  constructor(private readonly scene: FrameScene) {
    const { panels, zoom } = scene;
    const most = (of: readonly number[]) => Math.max(...of);
    const lines = (count: number, size: (i: number) => number, first: number) =>
      cumsum([first, ...Array.from({ length: count }, (_, i) => size(i))]);
    const rows = 1 + most(panels.map(({ row }) => row));
    const columns = 1 + most(panels.map(({ column }) => column));
    const wide = (i: number) => zoom * most(panels.filter(({ column }) => column === i).map(({ width }) => width));
    const high = (i: number) => zoom * most(panels.filter(({ row }) => row === i).map(({ height }) => height));
    const xs = lines(columns, (i) => wide(i) + GAP, MARGIN);
    const ys = lines(rows, (i) => high(i) + LABEL + (i + 1 < rows ? GAP : 0), HEADER + LABEL);
    this.#panels = panels.map((panel) => ({
      ...panel,
      ...{ x: xs[panel.column], y: ys[panel.row] },
      ...{ shownWidth: zoom * panel.width, shownHeight: zoom * panel.height },
    }));
    const right = xs[columns] - GAP + RAMP.gap + RAMP.width + RAMP.ticks + RAMP.label + MARGIN;
    const bottom = most(this.#panels.map(({ y, shownHeight }) => y + shownHeight)) + FOOTER;
    // Codecs of films take even numbers alone.
    [this.width, this.height] = [right + (right % 2), bottom + (bottom % 2)];
  }

  /** Colours by number [width·height], rows from the top; `maps` and lines over them in the order of the panels. */
  async paint(
    maps: readonly PixelMap[],
    moment: string,
    edges: readonly (readonly Edge[])[] = [],
  ): Promise<Uint8Array> {
    this.#still ??= await shadesOf({ width: this.width, height: this.height, content: this.#surroundings() });
    const frame = this.#still.slice();
    const x = this.width - MARGIN - MOMENT;
    const text = html`<text x="${MOMENT}" y="${HEADER - 10}" font-size="${TITLE}" text-anchor="end">${moment}</text>`;
    const letters = await shadesOf({ width: MOMENT, height: HEADER, content: text });
    for (let row = 0; row < HEADER; row++) {
      frame.set(letters.subarray(row * MOMENT, (row + 1) * MOMENT), row * this.width + x);
    }
    for (const [i, panel] of this.#panels.entries()) {
      this.#picture(frame, panel, maps[i]);
      for (const edge of edges[i] ?? []) this.#line(frame, panel, edge);
    }
    this.#ramp(frame);
    return frame;
  }

  #picture(frame: Uint8Array, { x, y, shownWidth, shownHeight }: Placed, { values, width }: PixelMap): void {
    const { stretch, zoom } = this.scene;
    const levels = new Uint8Array(values.length);
    if (stretch) for (let i = 0; i < levels.length; i++) levels[i] = levelOf(stretched(values[i], stretch));
    for (let row = 0; row < shownHeight; row++) {
      const from = Math.floor(row / zoom) * width;
      const to = (y + row) * this.width + x;
      for (let column = 0; column < shownWidth; column++) frame[to + column] = levels[from + Math.floor(column / zoom)];
    }
  }

  #line(frame: Uint8Array, { x, y, shownWidth, shownHeight, span }: Placed, edge: Edge): void {
    const [x0, y0, x1, y1] = edge.map((d) => (d * shownWidth) / span);
    const pixels = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1));
    for (let i = 0; i <= pixels; i++) {
      const column = Math.floor(shownWidth / 2 + x0 + ((x1 - x0) * i) / pixels);
      const row = Math.floor(shownHeight / 2 - y0 - ((y1 - y0) * i) / pixels);
      const isInside = column >= 0 && column < shownWidth && row >= 0 && row < shownHeight;
      if (isInside) frame[(y + row) * this.width + x + column] = shadeOf(LINE);
    }
  }

  get #rampPlace() {
    const top = Math.min(...this.#panels.map(({ y }) => y));
    const bottom = Math.max(...this.#panels.map(({ y, shownHeight }) => y + shownHeight));
    const x = Math.max(...this.#panels.map(({ x: left, shownWidth }) => left + shownWidth)) + RAMP.gap;
    return { x, top, height: bottom - top };
  }

  #ramp(frame: Uint8Array): void {
    const { x, top, height } = this.#rampPlace;
    for (let row = 0; row < height; row++) {
      const level = Math.round((1 - row / (height - 1)) * (COLOUR_STEPS - 1));
      frame.fill(level, (top + row) * this.width + x, (top + row) * this.width + x + RAMP.width);
    }
  }

  /** In SVG: title, labels, scale bar, the ticks of the key to the colours. */
  #surroundings(): Markup {
    const { title, units } = this.scene;
    const name = fitting(title, this.width - 2 * MARGIN - MOMENT, TITLE);
    const parts = [html`<text x="${MARGIN}" y="${HEADER - 10}" font-size="${TITLE}" font-weight="bold">${name}</text>`];
    for (const { x, y, label, shownWidth } of this.#panels) {
      const text = fitting(label, shownWidth, TEXT);
      parts.push(html`<text x="${x}" y="${y - 6}" font-size="${TEXT}" fill-opacity="0.75">${text}</text>`);
    }
    const last = this.#panels.reduce((lowest, panel) => (panel.y > lowest.y ? panel : lowest));
    const length = scaleBarLength(last.span);
    const pixels = (length / last.span) * last.shownWidth;
    const y = last.y + last.shownHeight + 14;
    const [x0, x1] = [last.x, last.x + pixels].map((x) => x.toFixed(1));
    parts.push(
      html`<path d="M${x0} ${y - 4}v8M${x0} ${y}H${x1}M${x1} ${y - 4}v8" stroke="white" stroke-width="1.5" fill="none"/>`,
      html`<text x="${last.x + pixels + 10}" y="${y + 5}" font-size="${TEXT}">${withUnit(shortNumber(length), units.length)}</text>`,
    );
    const sizes = [...new Set(this.scene.cores.map(({ h }) => h))].sort((a, b) => b - a).map((h) => shortNumber(h));
    if (sizes.length > 0) {
      const text = `frames: levels, cells of ${withUnit(sizes.join(", "), units.length)}`;
      parts.push(
        html`<text x="${last.x + last.shownWidth}" y="${y + 5}" font-size="${TEXT}" fill-opacity="0.75" text-anchor="end">${text}</text>`,
      );
    }
    return html`${parts}${this.#rampTicks()}`;
  }

  #rampTicks(): Markup[] {
    const { stretch, units } = this.scene;
    const { x, top, height } = this.#rampPlace;
    if (!stretch) return [];
    const left = x + RAMP.width;
    const parts = decadeTicks(stretch).map((tick) => {
      const y = (top + height * (1 - tick.at)).toFixed(1);
      const line = html`<path d="M${left} ${y}h4" stroke="white" stroke-width="1"/>`;
      return html`${line}<text x="${left + 7}" y="${Number(y) + 4}" font-size="12">${tick.text}</text>`;
    });
    const at = left + RAMP.ticks + 12;
    const text = fitting(`projected density [${densityUnit(units, 2)}]`, height, TEXT);
    parts.push(
      html`<text transform="translate(${at} ${top + height / 2}) rotate(-90)" font-size="${TEXT}" fill-opacity="0.75" text-anchor="middle">${text}</text>`,
    );
    return parts;
  }
}

// Letters and lines are drawn in SVG and rasterised by resvg, with the font that ships.

/** Mean width of a character, in its size: to cut what is too long. */
const WIDTH_OF_A_CHARACTER = 0.58;
const FAMILY = "DejaVu Sans";

/** Beside the built program, or among the packages where it runs from its sources. */
const FONTS = ["../fonts/DejaVuSans.ttf", "../../../node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf"];

let loaded: Promise<Uint8Array> | undefined;

/** The font, with the rasteriser ready. */
function loadedFont(): Promise<Uint8Array> {
  loaded ??= (async () => {
    const path = FONTS.map((name) => fileURLToPath(new URL(name, import.meta.url))).find((file) => existsSync(file));
    if (path === undefined) throw new GravmeshError("io", "The font of movies is missing: install gravmesh anew.");
    await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
    return readFileSync(path);
  })();
  return loaded;
}

interface Drawing {
  width: number;
  height: number;
  /** What stands in the svg element; white is ink. */
  content: Markup;
}

/** The colours by number of the ink in each pixel [width·height], rows from the top. */
async function shadesOf({ width, height, content }: Drawing): Promise<Uint8Array> {
  const font = await loadedFont();
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FAMILY}" fill="white">${content}</svg>`;
  const drawn = new Resvg(String(svg), { font: { fontBuffers: [font], defaultFontFamily: FAMILY } });
  const image = drawn.render();
  const { pixels } = image; // a copy at every look
  const shades = new Uint8Array(width * height);
  for (let i = 0; i < shades.length; i++) shades[i] = shadeOf(pixels[4 * i + 3] / 255);
  image.free();
  drawn.free();
  return shades;
}

/** `text` as far as it fits into `room` pixels at that size. */
function fitting(text: string, room: number, size: number): string {
  const most = Math.max(1, Math.floor(room / (WIDTH_OF_A_CHARACTER * size)));
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
