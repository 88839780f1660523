// The gallery's pictures, docs/gallery/NAME.webp: each deck as the live page begins it (the spiral galaxy whole), run in Node
// to the moment below, drawn by the page's own renderer, encoded by Chromium.
//   node .tooling/build.mjs && node .tooling/pictures.mjs [NAME …]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { create } from "webgpu";
import { provideRuntimeFolder } from "./setup.mjs";
import { deckIndex } from "./site-decks.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SIZE = { width: 640, height: 480 };
/** The gallery's large one. */
const LARGE = { width: 1200, height: 900 };

/** Share of the run, and what else is told from the page's own way to look. */
const MOMENTS = {
  ...{ spiral: { at: 0.5, whole: true, size: LARGE }, bar: { at: 0.8 }, disk: { at: 0.75 }, "milky-way": { at: 0.5 } },
  ...{ antennae: { at: 0.6 }, "antennae-p3m": { at: 1 }, cartwheel: { at: 0.6 } },
  ...{ satellite: { at: 0.5 }, magellanic: { at: 1 } },
  ...{ "figure-eight-3": { at: 0.12 }, "figure-eight-4": { at: 0.2 } },
  ...{
    lcdm: { at: 1 },
    "lcdm-p3m": { at: 1 },
    "lcdm-paired": { at: 1 },
    lightcone: { at: 1 },
    "einstein-de-sitter": { at: 1 },
    "plane-wave": { at: 0.98 },
  },
  ...{ uniform: { at: 0.9 }, plummer: { at: 0.2 }, "radial-orbit": { at: 0.9 }, "cold-collapse": { at: 0.55 } },
  ...{ "low-surface-brightness": { at: 1 }, "dwarf-in-host-field": { at: 1 } },
  ...{ "plummer-hermite": { at: 0.5 }, "random-100k": { at: 1 }, kepler: { at: 0.1, trail: 200 } },
};

function viewOf({ camera, look }, boxSize, { wholeBox }) {
  const view = { ...wholeBox(boxSize), ...look };
  const { azimuth, elevation, share } = camera;
  return { ...view, camera: { ...view.camera, azimuth, elevation, span: share * boxSize } };
}

/** The brightest of many pictures, pixel by pixel: the way of a few bodies. */
const lighten = (all, rgba) => all.map((value, i) => Math.max(value, rgba[i]));

/** Of a direct sum, which has its particles in another form. */
async function uploaded(simulation, { gpu, view }) {
  const particles = view.hostParticles(view.contentOf(simulation), await simulation.readParticles());
  return view.UploadedScene.create(gpu, particles);
}

async function draw(deck, { gravmesh, view, gpu }) {
  const moment = MOMENTS[deck.name];
  if (!moment) throw new Error(`.tooling/pictures.mjs has no moment for ${deck.name}`);
  const overrides = moment.whole ? [] : Object.entries(deck.gentle).map(([key, value]) => `${key}=${value}`);
  const text = readFileSync(join(root, "scenarios", `${deck.name}.toml`), "utf8");
  const scenario = gravmesh.parseScenario(text, { file: deck.name, overrides });
  const simulation = await gravmesh.Simulation.create(scenario, { gpu });
  const renderer = await view.Renderer.create(gpu);
  const looked = viewOf(deck, scenario.box.size, view);
  const size = moment.size ?? SIZE;
  const { start = 0, end } = scenario.time;
  const until = start + moment.at * (end - start);
  let rgba;
  for (let i = 1; i <= (moment.trail ?? 1); i++) {
    await simulation.advance({ until: start + ((until - start) * i) / (moment.trail ?? 1) });
    const scene = simulation.bufferWindows ? view.sceneOf(simulation) : await uploaded(simulation, { gpu, view });
    renderer.show(scene);
    const picture = await renderer.picture(looked, size);
    scene.destroy?.();
    rgba = rgba ? lighten(rgba, picture.rgba) : picture.rgba;
  }
  renderer.destroy();
  simulation.destroy();
  return { rgba, ...size };
}

/** In a page of the browser: [height · width · 4] as base64 → WebP as base64. */
async function webp(page, { rgba, width, height }) {
  const bytes = Buffer.from(rgba.buffer, rgba.byteOffset, rgba.byteLength).toString("base64");
  const encoded = await page.evaluate(
    async ([text, w, h]) => {
      const pixels = Uint8ClampedArray.from(atob(text), (letter) => letter.charCodeAt(0));
      const canvas = new OffscreenCanvas(w, h);
      canvas.getContext("2d").putImageData(new ImageData(pixels, w, h), 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.82 });
      return Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join("");
    },
    [bytes, width, height],
  );
  return Buffer.from(encoded, "latin1");
}

const names = process.argv.slice(2);
provideRuntimeFolder();
const library = {
  // Held for as long as its devices live: Dawn ends the process when it is collected before them.
  dawn: create([]),
  gravmesh: await import(join(root, "dist/node/index.js")),
  view: await import(join(root, "dist/node/view.js")),
};
library.gpu = await library.gravmesh.acquireContext(library.dawn);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--headless=new", "--no-sandbox"] });
const page = await browser.newPage();
mkdirSync(join(root, "docs/gallery"), { recursive: true });
for (const deck of await deckIndex()) {
  if (names.length > 0 && !names.includes(deck.name)) continue;
  const began = performance.now();
  const bytes = await webp(page, await draw(deck, library));
  writeFileSync(join(root, "docs/gallery", `${deck.name}.webp`), bytes);
  console.log(
    `${deck.name}: ${(bytes.length / 1024).toFixed(0)} KiB, ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
}
await browser.close();
library.gpu.destroy();
