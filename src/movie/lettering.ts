/** Letters and lines of a movie's frames: a drawing in SVG, rasterised by resvg with the font that ships (DejaVu Sans). */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { GravmeshError } from "../base/errors.ts";

/** Mean width of a character, in its size: to cut what is too long. */
const WIDTH_OF_A_CHARACTER = 0.58;
const FAMILY = "DejaVu Sans";

/** Beside the built program, or among the packages where it runs from its sources. */
const FONTS = ["../fonts/DejaVuSans.ttf", "../../node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf"];

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

export interface Drawing {
  width: number;
  height: number;
  /** What stands in the svg element; white is ink. */
  content: string;
}

/** How much ink there is in each pixel [width·height] 0 … 1, rows from the top. */
export async function inkOf({ width, height, content }: Drawing): Promise<Float32Array> {
  const font = await loadedFont();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FAMILY}" fill="white">${content}</svg>`;
  const drawn = new Resvg(svg, { font: { fontBuffers: [font], defaultFontFamily: FAMILY } });
  const image = drawn.render();
  const { pixels } = image; // a copy at every look
  const ink = Float32Array.from({ length: width * height }, (_, i) => pixels[4 * i + 3] / 255);
  image.free();
  drawn.free();
  return ink;
}

/** `text` as far as it fits into `room` pixels at that size. */
export function fitting(text: string, room: number, size: number): string {
  const most = Math.max(1, Math.floor(room / (WIDTH_OF_A_CHARACTER * size)));
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
