// docs/live.png: the live page with a galaxy in it, as the built page in Chromium shows it. With a folder also there the page at
// 400 pixels width, in light and dark, gallery and run, for looking at.
//   node .tooling/build.mjs && node .tooling/page-picture.mjs [FOLDER]
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "dist/site");
/** What a software GPU runs in a minute or two, to this time. */
const ENTRIES = { "mesh.cells": 48, "particles.disk.count": 60_000, "time.step": 0.01 };
const UNTIL = 0.42;
const PATIENCE = { timeout: 900_000 };
/** As test/support/browser.ts has them. */
const FLAGS = [
  ...["--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--enable-features=Vulkan"],
  ...["--use-angle=vulkan", "--use-vulkan=swiftshader", "--ignore-gpu-blocklist"],
];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const file = join(site, path === "/" ? "index.html" : path);
  if (!file.startsWith(site) || !existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  response.end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}/`;
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: FLAGS });

async function shot(page, folder, name) {
  mkdirSync(folder, { recursive: true });
  await page.waitForTimeout(4000); // until the worker has drawn it in its new size
  await page.screenshot({ path: join(folder, `${name}.png`), ...PATIENCE });
  console.log(join(folder, `${name}.png`));
}

async function run(page) {
  await page.locator(".card button").first().click();
  await page.waitForFunction(() => window.gravmesh.sources.a.value, undefined, PATIENCE);
  await page.evaluate((entries) => {
    window.gravmesh.overrides.value = entries;
  }, ENTRIES);
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(
    ([until, count]) => {
      const { time, particles } = window.gravmesh.panes.a.state.value;
      return particles === count && time >= until;
    },
    [UNTIL, ENTRIES["particles.disk.count"]],
    PATIENCE,
  );
  await page.keyboard.press("Space");
  await page.evaluate(() => window.gravmesh.stage.pause());
}

const [folder] = process.argv.slice(2);
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
await page.goto(url);
await page.waitForSelector(".card");
await page.waitForLoadState("networkidle");
if (folder) await shot(page, folder, "gallery-dark");
await run(page);
await page.locator("#tab-curves").click();
await page.mouse.move(500, 400);
await page.evaluate(() => document.activeElement?.blur?.());
await shot(page, join(root, "docs"), "live");
if (folder) {
  for (const scheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [name, size] of Object.entries({ desk: [1280, 800], phone: [400, 800] })) {
      await page.setViewportSize({ width: size[0], height: size[1] });
      for (const panel of [undefined, "picture", "parameters", "deck", "curves", "camera", "export", "keys"]) {
        await page.evaluate((id) => {
          window.gravmesh.page.panel.value = id;
        }, panel);
        await shot(page, folder, [name, scheme, panel ?? "run"].join("-"));
      }
      await page.evaluate(() => {
        window.gravmesh.page.screen.value = "gallery";
      });
      await shot(page, folder, `${name}-${scheme}-gallery`);
      await page.evaluate(() => {
        window.gravmesh.page.screen.value = "studio";
      });
    }
  }
}
await browser.close();
server.close();
