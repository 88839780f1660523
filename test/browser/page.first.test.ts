/** The live page once, by its keyboard. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHOWN } from "../../src/doors/site/bundled.ts";
import { root } from "../support/cli.ts";
import {
  type LivePages,
  livePages,
  reaches,
  restingStep,
  becomes as status,
  tabTo,
  type Windowed,
} from "../support/live-page.ts";

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("the live page", () => {
  let live: LivePages;
  let page: Page;

  beforeAll(async () => {
    live = await livePages();
    page = live.page;
  });
  afterAll(() => live?.close());

  it("runs a deck of the gallery by the keyboard alone: open, pause, step, turn, compare, back", async () => {
    expect(await page.locator(".card").count()).toBe(SHOWN.length);
    const heights = await page.locator(".card-picture").evaluateAll((all) => all.map((one) => one.clientHeight));
    expect(Math.min(...heights)).toBeGreaterThan(100); // of the wide one in the last row, too
    await tabTo(page, /^Plummer sphere/);
    await page.keyboard.press("Enter");
    await status(page, "running");
    expect(await page.title()).toContain("Plummer sphere");
    await reaches(page, 2);
    await page.keyboard.press("Space");
    await status(page, "paused");

    const before = await restingStep(page);
    await page.keyboard.press(".");
    await reaches(page, before + 1);
    expect(await restingStep(page)).toBe(before + 1);
    await status(page, "paused");

    await tabTo(page, /^Plummer sphere, paused/);
    const camera = () => page.evaluate(() => (window as unknown as Windowed).gravmesh.view.value.camera);
    const first = await camera();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("+");
    await page.keyboard.press("e");
    const turned = await camera();
    expect(turned.span).toBeCloseTo(first.span / 1.25, 9);
    expect([turned.azimuth, turned.elevation]).toEqual([0, 0]);

    await tabTo(page, /^Picture$/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await page.locator("[role=tabpanel]").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator("[role=tabpanel]").count()).toBe(0);

    await page.keyboard.press("g");
    await page.waitForSelector(".card");
  });

  it("asks nothing of anybody else, and complains of nothing", () => {
    expect(live.outside).toEqual([]);
    expect(live.complaints).toEqual([]);
    const html = readFileSync(join(root, "dist/site/index.html"), "utf8");
    expect(html).not.toMatch(/<script(?! type="module" src="page\.js">)|<style|(src|href)="(https?:|\/)/);
  });
});
