/** The live page as its reader has it: in a browser, under a path of a web server, with a strict policy. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packLink } from "../../src/doors/site/link.ts";
import { wholeBox } from "../../src/studio/view/view.ts";
import { launchChromium } from "../support/browser.ts";
import {
  LITTLE_DECK as DECK,
  type LivePages,
  listening,
  livePages,
  PATIENCE,
  reaches,
  restingStep,
  stateOf as state,
  becomes as status,
  type Windowed,
} from "../support/live-page.ts";

/** Drops a text file onto the page, as a file manager would. */
const drop = (page: Page, name: string, text: string) =>
  page.evaluate(
    ([file, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], file));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );

/** Of a deck that takes another's place. */
async function shows(page: Page, title: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const { state } = (window as unknown as Windowed).gravmesh.panes.a;
      return state.value.title === wanted && state.value.status === "running";
    },
    title,
    PATIENCE,
  );
}

const isWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("the live page", () => {
  let live: LivePages;
  // A page's device costs seconds: most tests have this page, of which they leave no run that goes.
  let page: Page;
  /** On a touch screen; it has the gallery until a test opens something. */
  let narrow: Page;
  let url = "";

  beforeAll(async () => {
    live = await livePages();
    ({ page, url } = live);
    narrow = await live.watched(
      await live.browser.newContext({ viewport: { width: 400, height: 800 }, hasTouch: true }),
    );
  });
  afterAll(() => live?.close());

  it("takes a deck that is dropped, keeps it over a reload, and says where a deck is wrong", async () => {
    await drop(page, "little.toml", DECK);
    await shows(page, "Little sphere");
    await page.waitForFunction(() => location.hash.startsWith("#g1."), undefined, PATIENCE);
    await page.reload();
    await status(page, "running");
    const { title, particles, cells } = await state(page);
    expect({ title, particles, cells }).toEqual({ title: "Little sphere", particles: 400, cells: 16 });

    await drop(page, "wrong.toml", DECK.replace("cells = 16", "cells = 16.5"));
    await status(page, "failed");
    const problem = await page.locator(".problem").textContent();
    expect(problem).toMatch(/The deck has an error.*cells.*Edit the deck at line 8/s);
    // And the page goes on.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const paste = async (text: string) => {
      await page.evaluate((all) => navigator.clipboard.writeText(all), text);
      await page.keyboard.press("Control+v");
    };
    const said = await listening(page);
    await paste("no deck at all");
    await said("What was pasted is no deck");
    await paste(DECK.replace("Little", "Pasted"));
    await shows(page, "Pasted sphere");

    await page.keyboard.press("g");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser", PATIENCE),
      page.getByRole("button", { name: /^Open a deck or snapshots/ }).click(),
    ]);
    expect(chooser.isMultiple()).toBe(true);
    const buffer = Buffer.from(DECK.replace("Little", "Chosen"));
    await chooser.setFiles({ name: "little.toml", mimeType: "application/toml", buffer });
    await shows(page, "Chosen sphere");
    await restingStep(page);
  });

  it("forks a run into a second picture, and compares from the beginning", async () => {
    await page.goto(`${url}/#${await packLink({ text: DECK, entries: {}, view: wholeBox(8) })}`);
    await shows(page, "Little sphere");
    await reaches(page, 2);
    await page.keyboard.press("Space");
    await status(page, "paused");
    await restingStep(page);
    const { time } = await state(page);
    await page.evaluate(() => {
      (window as unknown as Windowed).gravmesh.overrides.value = { "time.step": 0.01 };
    });
    await page.keyboard.press("k");
    await status(page, "paused", "b");
    const forked = await page.evaluate(() => (window as unknown as Windowed).gravmesh.panes.b.state.value);
    expect(forked.time).toBe(time);
    expect(await page.locator(".pane-name").allTextContents()).toEqual(["A ", "B time.step=0.01"]);
    await page.keyboard.press(".");
    await page.waitForFunction(
      (was) => (window as unknown as Windowed).gravmesh.panes.b.state.value.time > was,
      time,
      PATIENCE,
    );
    await page.keyboard.press("c");
    await status(page, "empty", "b");
  });

  it("leaves what was set for a deck when another takes its place, in fork and link as well", async () => {
    const other = DECK.replace("count = 400", "count = 300");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${url}/#plummer`);
    await shows(page, "Plummer sphere");
    expect((await state(page)).particles).toBe(400);
    await page.locator(".gentle", { hasText: "400 particles, 16³ cells in this page" }).waitFor(PATIENCE);
    const said = await listening(page);
    await page.locator("#tab-deck").click();
    await page.locator(".cm-content").click();
    await page.evaluate((all) => navigator.clipboard.writeText(all), other);
    for (const keys of ["Control+a", "Control+v"]) await page.keyboard.press(keys);
    await said("particles.plummer.count");
    await page.keyboard.press("Control+Enter");
    await shows(page, "Little sphere");
    expect(await state(page)).toMatchObject({ particles: 300, cells: 16, end: 100 });
    expect(await page.locator(".gentle").count()).toBe(0);
    await page.locator("#tab-deck").click();

    await page.keyboard.press("k");
    const forks = (within: Page) =>
      within.waitForFunction(
        () => (window as unknown as Windowed).gravmesh.panes.b.state.value.particles === 300,
        undefined,
        PATIENCE,
      );
    await forks(page);
    expect(await page.locator(".problem").count()).toBe(0);
    await page.keyboard.press("l");
    await said("Link copied");
    const link = await page.evaluate(() => location.hash);
    await restingStep(page);
    await narrow.goto(`${url}/${link}`);
    await narrow.reload();
    await shows(narrow, "Little sphere");
    expect(await state(narrow)).toMatchObject({ particles: 300, cells: 16 });
    await forks(narrow);
    await restingStep(narrow);
  });

  it("reproduces a run from its link, to the bit", async () => {
    const entries = { "time.end": 0.1 };
    const view = { ...wholeBox(8), quantity: "velocity" as const };
    const link = `#${await packLink({ text: DECK, entries, view })}`;
    const particles = async (within: Page) => {
      await within.goto(`${url}/${link}`);
      await status(within, "done");
      return within.evaluate(async () => {
        const { stage, view: seen } = (window as unknown as Windowed).gravmesh;
        const { positions, velocities } = await stage.grid("a");
        return { positions: [...positions], velocities: [...velocities], quantity: seen.value.quantity };
      });
    };
    const first = await particles(page);
    expect(first.quantity).toBe("velocity");
    expect(first.positions).toHaveLength(1200);
    expect(await particles(narrow)).toEqual(first);
  });

  it("fits a narrow screen, with every panel open", async () => {
    for (const tab of await narrow.locator("[role=tab]").all()) {
      await tab.click();
      await narrow.waitForSelector("[role=tabpanel]");
      expect([await tab.textContent(), await isWide(narrow)]).toEqual([await tab.textContent(), false]);
      const picture = await narrow.locator(".pane:not([hidden])").first().boundingBox();
      expect(picture!.height).toBeGreaterThan(120);
    }
    await narrow.goto(`${url}/`);
    await narrow.waitForSelector(".card");
    expect(await isWide(narrow)).toBe(false);
  });

  it("runs small on the CPU where there is no WebGPU, and says what to switch on", async () => {
    const bare = await launchChromium({ webgpu: false });
    try {
      const without = await live.watched(await bare.newContext());
      await without.waitForSelector(".notice");
      expect(await without.locator(".notice").textContent()).toMatch(/No WebGPU in this browser.*chrome:\/\/flags/s);
      await without.getByRole("button", { name: /^Plummer sphere/ }).click();
      await reaches(without, 1);
      const { backend, cells } = await state(without);
      expect({ backend, cells }).toEqual({ backend: "cpu", cells: 32 });
    } finally {
      await bare.close();
    }
  });

  it("asks nothing of anybody else, and complains of nothing", () => {
    expect(live.outside).toEqual([]);
    expect(live.complaints).toEqual([]);
  });
});
