/** The live page in a browser's test: a small deck, what the page knows of itself, and waiting for what it does. */
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { BundledDeck } from "../../src/doors/site/decks.ts";
import type { Pane } from "../../src/doors/site/stage.ts";
import type { Store } from "../../src/doors/site/store.ts";
import { launchChromium, serve } from "./browser.ts";
import { root } from "./cli.ts";
import { PATIENCE_MS } from "./patience.ts";

/** As strict as the page's own server. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; font-src 'self'; " +
  "img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";

export const PATIENCE = { timeout: PATIENCE_MS };

export const LITTLE_DECK = `title = "Little sphere"
[units]
system = "nbody"
[box]
size = 8.0
boundary = "isolated"
[mesh]
cells = 16
[[particles]]
kind = "plummer"
count = 400
mass = 1.0
scale = 0.6
seed = 3
[time]
end = 100.0
step = 0.02
`;

/** The page's store, which the page shows to the curious. */
export interface Windowed {
  gravmesh: Store;
}

export const stateOf = (page: Page, pane: Pane = "a") =>
  page.evaluate((name) => (window as unknown as Windowed).gravmesh.panes[name].state.value, pane);

export const becomes = (page: Page, wanted: string, pane: Pane = "a") =>
  page.waitForFunction(
    ([name, is]) => (window as unknown as Windowed).gravmesh.panes[name as Pane].state.value.status === is,
    [pane, wanted],
    PATIENCE,
  );

export const reaches = (page: Page, step: number) =>
  page.waitForFunction(
    (least) => (window as unknown as Windowed).gravmesh.panes.a.state.value.step >= least,
    step,
    PATIENCE,
  );

/** Presses Tab until the focus is on something with this name. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
    if (name.test(focused)) return;
  }
  throw new Error(`Tab reaches nothing called ${name}`);
}

/** Hears from now on what the page says to its reader, which it shows for some seconds; resolves when that has had `text`. */
export async function listening(page: Page): Promise<(text: string) => Promise<unknown>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    const note = () => heard.push(document.querySelector(".said")?.textContent ?? "");
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { heard });
  });
  return (text) =>
    page.waitForFunction(
      (part) => (window as unknown as { heard: string[] }).heard.some((one) => one.includes(part)),
      text,
      PATIENCE,
    );
}

/** Of a run that has been paused: whatever was under way has ended, and the page has been told. */
export async function restingStep(page: Page): Promise<number> {
  await page.evaluate(() => (window as unknown as Windowed).gravmesh.stage.pause());
  return (await stateOf(page)).step;
}

export type LivePages = Awaited<ReturnType<typeof livePages>>;

/** The site under a path of a web server, in a browser; of its pages complaints and requests are kept. */
export async function livePages() {
  const { url, server } = await serve(join(root, "dist/site"), { under: "/some/where/galaxies", policy: POLICY });
  const browser: Browser = await launchChromium();
  const complaints: string[] = [];
  const outside: string[] = [];
  const watched = async (within: BrowserContext): Promise<Page> => {
    const opened = await within.newPage();
    opened.on("pageerror", (error) => complaints.push(String(error)));
    opened.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
    });
    opened.on("request", (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) outside.push(request.url());
    });
    await opened.goto(`${url}/`);
    await opened.waitForSelector(".card");
    return opened;
  };
  const context = await browser.newContext({ viewport: { width: 640, height: 480 }, reducedMotion: "reduce" });
  // The gallery as it is, but for one deck that begins still gentler.
  await context.route("**/decks.json", async (route) => {
    const answer = await route.fetch();
    const decks = (await answer.json()) as BundledDeck[];
    const gentle = { "mesh.cells": 16, "particles.plummer.count": 400, "time.end": 100 };
    await route.fulfill({ json: decks.map((deck) => (deck.name === "plummer" ? { ...deck, gentle } : deck)) });
  });
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { browser, url, page: await watched(context), watched, complaints, outside, close };
}
