/**
 * The live page in Firefox, whose WebGPU is wgpu with the compiler naga: it opens, runs, pauses, follows a link, comes to the
 * haloes of a cosmological box, and its particles have the bits of Dawn. A part of `npm run test:adapters`, which names the
 * browser in GRAVMESH_FIREFOX.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { esbuildWgsl } from "../../.tooling/wgsl-plugin.mjs";
import { packLink } from "../../src/doors/site/link.ts";
import { wholeBox } from "../../src/studio/view/view.ts";
import { type AdapterResults, adapterResults } from "../support/adapter-results.ts";
import { serve } from "../support/browser.ts";
import { root } from "../support/cli.ts";
import { firstDifference } from "../support/compare.ts";
import { launchFirefox } from "../support/firefox.ts";
import { useGpu } from "../support/gpu.ts";
import { becomes, LITTLE_DECK, POLICY, reaches, stateOf, type Windowed } from "../support/live-page.ts";

const LINK_ENTRIES = { "time.end": 0.1 };
describe.runIf(process.env.GRAVMESH_FIREFOX)("the live page in Firefox", () => {
  const gpu = useGpu();
  let browser: Browser;
  let context: BrowserContext;
  let server: Server | undefined;
  let url = "";
  const complaints: string[] = [];

  async function opened(at: string): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${url}/index.html${at}`);
    return page;
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (!process.env.GRAVMESH_PICTURES) return;
    const before = complaints.length;
    await page.screenshot({ path: `${process.env.GRAVMESH_PICTURES}/${name}.png` });
    complaints.splice(before); // the driver adds a style, which the page's policy forbids
  }

  beforeAll(async () => {
    ({ browser, context } = await launchFirefox());
    ({ url, server } = await serve(join(root, "dist/site"), { policy: POLICY }));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("opens a deck of the gallery, runs it on the adapter, pauses and takes one step", async () => {
    const page = await opened("");
    await page.locator(".card").first().waitFor();
    await picture(page, "firefox-gallery");
    await page.evaluate(
      (link) => location.assign(link),
      `#${await packLink({ text: LITTLE_DECK, entries: {}, view: wholeBox(8) })}`,
    );
    await reaches(page, 20);
    expect(await page.locator("body").textContent()).toContain("of Firefox");
    await page.keyboard.press("Space");
    await becomes(page, "paused");
    await page.evaluate(() => (window as unknown as Windowed).gravmesh.stage.pause());
    const { step } = await stateOf(page);
    await page.keyboard.press(".");
    await reaches(page, step + 1);
    expect((await stateOf(page)).step).toBe(step + 1);
    await picture(page, "firefox-paused");
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("follows a link to the same bits again", async () => {
    const view = { ...wholeBox(8), quantity: "velocity" as const };
    const link = `#${await packLink({ text: LITTLE_DECK, entries: LINK_ENTRIES, view })}`;
    const particles = async () => {
      const page = await opened(link);
      await becomes(page, "done");
      const drawn = await page.evaluate(async () => {
        const { stage, view: seen } = (window as unknown as Windowed).gravmesh;
        const { positions, velocities } = await stage.grid("a");
        return { positions: [...positions], velocities: [...velocities], quantity: seen.value.quantity };
      });
      await picture(page, "firefox-link");
      await page.close();
      return drawn;
    };
    const first = await particles();
    expect(first.quantity).toBe("velocity");
    expect(first.positions).toHaveLength(1200);
    expect(await particles()).toEqual(first);
    expect(complaints).toEqual([]);
  });

  it("draws the haloes of a box of dark matter, up to today", async () => {
    const page = await opened("#lcdm");
    await becomes(page, "done");
    await picture(page, "firefox-lcdm");
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("has the bits of Dawn: masses, haloes, spectra, forces and motion", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gravmesh-firefox-"));
    const page = await context.newPage();
    const contents =
      'import { acquireContext } from "./src/foundation/gpu/device.ts"; import { adapterResults } from "./test/support/adapter-results.ts";' +
      'window.results = async () => adapterResults(await acquireContext(navigator.gpu), "some");';
    await build({
      stdin: { contents, resolveDir: root, loader: "ts" },
      ...{ outfile: join(folder, "results.js"), bundle: true, format: "esm", platform: "browser" },
      ...{ target: "es2023", plugins: [esbuildWgsl], logLevel: "error", absWorkingDir: root },
    });
    const html = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="results.js"></script>';
    writeFileSync(join(folder, "index.html"), html);
    const bare = await serve(folder);
    try {
      await page.goto(`${bare.url}/index.html`);
      const text = await page.evaluate(async () => {
        const found = await (window as unknown as { results: () => Promise<AdapterResults> }).results();
        return JSON.stringify(found, (_, value) => (ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value));
      });
      const there = JSON.parse(text) as AdapterResults;
      const here = await adapterResults(gpu(), "some");
      for (const kind of ["integers", "floats"] as const) {
        expect(Object.keys(there[kind])).toEqual(Object.keys(here[kind]));
        for (const [what, values] of Object.entries(here[kind])) {
          expect(values.length, what).toBeGreaterThan(0);
          expect(`${what}: ${firstDifference(there[kind][what], values)}`).toBe(`${what}: same`);
        }
      }
    } finally {
      await page.close();
      bare.server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
