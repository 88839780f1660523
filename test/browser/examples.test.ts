/** The example pages in headless Chromium, on WebGPU: a run, and a simulation and its picture on one device (docs/embedding.md). */
import type { Server } from "node:http";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, serve } from "../support/browser.ts";
import { root } from "../support/cli.ts";
import { PATIENCE_MS } from "../support/patience.ts";

interface PageResult {
  error?: string;
  backend: string;
  time: number;
  relativeEnergyError: number;
  x: number[];
}

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("docs/examples", () => {
  let browser: Browser | undefined;
  let server: Server | undefined;
  let url = "";
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    ({ url, server } = await serve(root.replace(/\/$/, "")));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** The page when it has a result. */
  async function shown<T>(name: string, options?: BrowserContextOptions): Promise<{ page: Page; result: T }> {
    const page = await browser!.newPage(options);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${url}/docs/examples/${name}`);
    const handle = await page.waitForFunction(() => (window as unknown as { result?: object }).result, undefined, {
      timeout: PATIENCE_MS,
    });
    return { page, result: (await handle.jsonValue()) as T };
  }

  it("page.html runs a disk and draws it", async () => {
    const { page, result } = await shown<PageResult>("page.html");
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
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("view.html draws all particles, bright in the middle of the canvas, with a legend above", async () => {
    const viewport = { width: 400, height: 300 };
    const { page, result } = await shown<{ time: number; drawn: number }>("view.html", { viewport });
    expect(result.time).toBeCloseTo(0.5, 9);
    expect(result.drawn).toBeGreaterThan(9000);
    expect(result.drawn).toBeLessThanOrEqual(10_000);
    const letters = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("#legend")!;
      const pixels = canvas.getContext("2d")!.getImageData(0, 0, 400, 300).data;
      return pixels.reduce((count, value, i) => count + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
    });
    expect(letters).toBeGreaterThan(500);
    const shot = await page.screenshot();
    const brightness = await page.evaluate(async (base64) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
      const context = new OffscreenCanvas(400, 300).getContext("2d")!;
      context.drawImage(image, 0, 0);
      const mean = (x: number, y: number) => {
        const { data } = context.getImageData(x - 10, y - 10, 20, 20);
        return data.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0) / 1200;
      };
      return { middle: mean(200, 150), corner: mean(380, 20) };
    }, shot.toString("base64"));
    expect(brightness.middle).toBeGreaterThan(100);
    expect(brightness.corner).toBeLessThan(40);
    expect(complaints).toEqual([]);
  });
});
