/** The example page in headless Chromium: the browser build runs, on WebGPU, and its numbers are those of Node. */
import type { Server } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, serve } from "../support/browser.ts";
import { ensureBuild, root } from "../support/cli.ts";

interface PageResult {
  error?: string;
  backend: string;
  time: number;
  relativeEnergyError: number;
  x: number[];
}

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("docs/examples/page.html", () => {
  let browser: Browser | undefined;
  let server: Server | undefined;
  let url = "";

  beforeAll(async () => {
    ensureBuild();
    browser = await launchChromium();
    ({ url, server } = await serve(root.replace(/\/$/, "")));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("runs a disk and draws it", async () => {
    const page = await browser!.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${url}/docs/examples/page.html`);
    const handle = await page.waitForFunction(() => (window as unknown as { result?: PageResult }).result, undefined, {
      timeout: 100_000,
    });
    const result = (await handle.jsonValue()) as PageResult;
    expect(result.error).toBeUndefined();
    expect(result.backend).toBe("webgpu");
    expect(result.time).toBeCloseTo(1, 9);
    expect(Math.abs(result.relativeEnergyError)).toBeLessThan(0.05);
    expect(result.x).toHaveLength(300);
    expect(result.x.every((x) => x > 0 && x < 16)).toBe(true);
    expect(await page.textContent("figcaption")).toBe("time 1.00 on webgpu");
    const drawn = await page.evaluate(() => {
      const canvas = document.querySelector("canvas")!;
      const pixels = canvas.getContext("2d")!.getImageData(0, 0, 600, 600).data;
      return pixels.reduce((count, value, i) => count + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
    });
    expect(drawn).toBeGreaterThan(1000);
    expect(complaints).toEqual([]);
  });
});
