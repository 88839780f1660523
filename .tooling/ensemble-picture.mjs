// docs/ensemble.png: P(k) of sixteen seeds, the example of docs/ensembles.md, as the ensemble's page shows it in Chromium.
//   node .tooling/build.mjs && node .tooling/ensemble-picture.mjs [FOLDER of that ensemble, made where it isn't there]
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const made = process.argv[2] ? undefined : mkdtempSync(join(tmpdir(), "gravmesh-ensemble-"));
const folder = resolve(process.argv[2] ?? made);

if (!existsSync(join(folder, "ensemble.html"))) {
  const example = ["lcdm", "mesh.cells=32", "particles.0.perSide=16", "--vary", "seed=1..16", "--backend", "cpu"];
  const bin = join(root, "dist/bin/gravmesh.js");
  const { status } = spawnSync(process.execPath, [bin, "ensemble", ...example, "--out", folder], { stdio: "inherit" });
  if (status !== 0) throw new Error(`gravmesh ensemble ended with ${status}`);
}
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--headless=new", "--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, colorScheme: "light" });
await page.goto(pathToFileURL(join(folder, "ensemble.html")).href);
const path = join(root, "docs/ensemble.png");
await page.locator("h2:text-is('Power spectrum') + .charts").screenshot({ path });
console.log(path);
await browser.close();
if (made) rmSync(made, { recursive: true, force: true });
