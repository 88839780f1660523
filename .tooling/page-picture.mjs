// docs/live.png: the live page with a galaxy in it, as the built page in Chromium shows it. With a folder also there the page at
// 400 pixels width, in light and dark, gallery and run, for looking at.
//   node .tooling/build.mjs && node .tooling/page-picture.mjs [FOLDER]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSite, root } from "./built-page.mjs";

/** What a software GPU runs in a minute or two, to this time. */
const ENTRIES = { "mesh.cells": 48, "particles.disk.count": 60_000, "time.step": 0.01 };
const UNTIL = 0.42;
const PATIENCE = { timeout: 900_000 };
const { browser, url, close } = await openSite();

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
await close();
