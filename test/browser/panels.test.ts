/** The live page's panels as their reader has them: deck, sliders, curves, camera, and what can be taken away. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { decode } from "fast-png";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packLink } from "../../src/doors/site/link.ts";
import { columnHeads } from "../../src/engine/diagnostics/columns.ts";
import { wholeBox } from "../../src/studio/view/view.ts";
import { launchChromium, serve } from "../support/browser.ts";
import { root } from "../support/cli.ts";
import {
  becomes,
  LITTLE_DECK,
  PATIENCE,
  POLICY,
  reaches,
  stateOf,
  tabTo,
  type Windowed,
} from "../support/live-page.ts";

/** With a row of diagnostics a step. */
const DECK = `${LITTLE_DECK}[output]\ndiagnostics = 5000\n`;
/** The line of "cells = 16". */
const CELLS_LINE = 1 + DECK.split("\n").indexOf("cells = 16");

const deckText = (page: Page) => page.evaluate(() => (window as unknown as Windowed).gravmesh.deck.value);
const overrides = (page: Page) => page.evaluate(() => (window as unknown as Windowed).gravmesh.overrides.value);
/** What pane "a" was given last. */
const given = (page: Page) =>
  page.evaluate(() => {
    const source = (window as unknown as Windowed).gravmesh.sources.a.value;
    return source?.kind === "deck" ? source.overrides : undefined;
  });

/** What the button called so hands to the browser to keep. */
async function downloaded(page: Page, name: string | RegExp): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([
    page.waitForEvent("download", PATIENCE),
    page
      .getByRole("button", { name, exact: typeof name === "string" })
      .first()
      .click(),
  ]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("the panels of the live page", () => {
  let browser: Browser;
  let server: Server | undefined;
  let page: Page;
  const complaints: string[] = [];

  const open = (tab: string) => page.locator(`#tab-${tab}[aria-selected=false]`).click();
  const summary = (text: RegExp) => page.locator(".editor-sum", { hasText: text }).waitFor(PATIENCE);

  beforeAll(async () => {
    browser = await launchChromium();
    let url = "";
    ({ url, server } = await serve(join(root, "dist/site"), { policy: POLICY }));
    page = await browser.newPage({ viewport: { width: 900, height: 700 }, reducedMotion: "reduce" });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
    });
    await page.goto(`${url}/index.html#${await packLink({ text: DECK, entries: {}, view: wholeBox(8) })}`);
    await reaches(page, 3);
    await page.keyboard.press("Space");
    await becomes(page, "paused");
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("edits a deck by the keyboard alone: an error at its line, words that may stand there, undo, a run", async () => {
    await open("deck");
    await page.locator(".cm-content").waitFor(PATIENCE);
    await tabTo(page, /^Close the panel/);
    await page.keyboard.press("Tab");
    await summary(/400 particles · 16³ cells · .*MiB/);

    await page.keyboard.press("Control+Home");
    for (let line = 1; line < CELLS_LINE; line++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.type(".5");
    await summary(/1 error/);
    const error = page.locator(".editor-problems button");
    expect(await error.textContent()).toMatch(new RegExp(`^Line ${CELLS_LINE} .*cells.*16\\.5`));
    expect(await page.locator(".cm-lint-marker-error").count()).toBe(1);
    expect(await page.locator(".cm-lintRange-error").textContent()).toBe("cells = 16.5");
    expect(await page.getByRole("button", { name: "Run this deck" }).isDisabled()).toBe(true);

    // From elsewhere in the deck to the error's line.
    await page.keyboard.press("Control+Home");
    await error.click();
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Delete");
    expect(await deckText(page)).toBe(DECK.replace("cells = 16", ""));
    await page.keyboard.type("ce");
    const offers = page.locator(".cm-tooltip-autocomplete li");
    await offers.filter({ hasText: /^cells/ }).waitFor(PATIENCE);
    expect((await offers.allTextContents())[0]).toMatch(/^cells/);
    await page.keyboard.press("Tab");
    expect(await deckText(page)).toBe(DECK.replace("cells = 16", "cells = "));
    await page.keyboard.type("24");
    await page.keyboard.press("Enter");
    await page.keyboard.type('poisson = "m');
    await offers.filter({ hasText: "multigrid" }).waitFor(PATIENCE);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Home");

    // Nothing holds the keyboard.
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest(".editor-host"))).toBeNull();
    await page.keyboard.press("Shift+Tab");
    for (let undo = 0; undo < 12; undo++) await page.keyboard.press("Control+z");
    expect(await deckText(page)).toBe(DECK);

    await page.keyboard.press("Control+End");
    await page.keyboard.type("rows = 3");
    await summary(/error/);
    await page.getByRole("button", { name: "Revert" }).click();
    await summary(/400 particles/);
    expect(await deckText(page)).toBe(DECK);
    await page.locator(".cm-content").press("Control+Home");
    await page.keyboard.type("# mine\n");
    await summary(/400 particles/);
    await page.keyboard.press("Control+Enter");
    await reaches(page, 1);
    expect(await deckText(page)).toBe(`# mine\n${DECK}`);
    expect(await page.getByText("Not what runs").count()).toBe(0);
  });

  it("slides: what differs is said, the run begins again or goes on with it, or another runs beside it", async () => {
    await open("parameters");
    const step = page.getByRole("slider", { name: /^time step/ });
    await step.waitFor(PATIENCE);
    const mass = page.getByRole("slider", { name: /mass/i });
    await mass.press("PageUp");
    const { "particles.plummer.mass": heavier } = await overrides(page);
    expect(heavier).toBeGreaterThan(1);
    await page.getByText("Not what runs").waitFor(PATIENCE);
    expect(await page.getByRole("button", { name: "Go on from here" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Restart with it" }).click();
    await reaches(page, 2);
    expect(await given(page)).toEqual([`particles.plummer.mass=${heavier}`]);
    expect(await page.getByText("Not what runs").count()).toBe(0);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("Space");
    await becomes(page, "paused");

    for (let steps = 0; steps < 3; steps++)
      await page.evaluate(() => (window as unknown as Windowed).gravmesh.stage.step());
    const before = await stateOf(page);
    expect(before.step).toBeGreaterThanOrEqual(3);
    await page.getByRole("spinbutton", { name: /step/i }).fill("0.01");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Go on from here" }).click();
    await page.waitForFunction(
      () => {
        const source = (window as unknown as Windowed).gravmesh.sources.a.value;
        return source?.kind === "deck" && source.overrides.includes("time.step=0.01");
      },
      undefined,
      PATIENCE,
    );
    await becomes(page, "paused");
    expect((await stateOf(page)).time).toBe(before.time);

    // It is one run, with the curves that it had.
    const times = await page.evaluate(() => {
      const { rows } = (window as unknown as Windowed).gravmesh.panes.a;
      return rows.value.map(({ time }) => time);
    });
    expect([times[0], times.at(-1)]).toEqual([0, before.time]);
    expect(times).toHaveLength(new Set(times).size);
    expect(times.length).toBeGreaterThan(2);

    await page.getByRole("button", { name: /^.*mass: as in the deck/i }).click();
    expect(await overrides(page)).toEqual({ "time.step": 0.01 });
    await page.getByRole("button", { name: "Beside it, from the start" }).click();
    await becomes(page, "paused", "b");
    await becomes(page, "paused");
    expect([(await stateOf(page)).time, (await stateOf(page, "b")).time]).toEqual([0, 0]);
    await page.getByText("As in picture B").waitFor(PATIENCE);
  });

  it("draws both runs' curves, whose values keys, tables and files tell", async () => {
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (let steps = 0; steps < 6; steps++)
      await page.evaluate(() => (window as unknown as Windowed).gravmesh.stage.step());
    await open("curves");
    await page.locator(".curve svg.chart path.curve").first().waitFor(PATIENCE);
    const chart = page.getByRole("slider", { name: /^Energy/ });
    await chart.press("Home");
    const first = await chart.getAttribute("aria-valuetext");
    expect(first).toMatch(/^Time.* 0: A 0, B 0$/);
    await chart.press("ArrowRight");
    const second = await chart.getAttribute("aria-valuetext");
    expect(second).not.toBe(first);
    expect(await page.locator(".curve-legend").first().textContent()).toMatch(/A.*B/);
    const curves = page.locator(".curve").first().locator(".curve-plot path.curve");
    expect(await curves.count()).toBe(2);
    const [a, b] = await curves.evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
    expect(a).not.toBe(b);
    await page.locator(".curve-plot").first().hover();
    await page.locator(".curve-cursor").first().waitFor(PATIENCE);
    expect(await page.locator(".curve-cursor").count()).toBeGreaterThan(1);

    const { name, bytes } = await downloaded(page, "Energy as csv");
    expect(name).toBe("little-sphere-energy.csv");
    const lines = bytes.toString().trim().split("\n");
    expect(lines.slice(0, 2)).toEqual(["# Energy: (E − E₀) / |E₀|", expect.stringMatching(/^Time.*,A,B$/)]);
    expect(lines.length).toBeGreaterThanOrEqual(5);

    await page.getByRole("checkbox", { name: "As tables" }).check();
    const rows = page.locator("table", { hasText: "Energy" }).first().locator("tbody tr");
    expect(await rows.count()).toBe(lines.length - 2);
    await page.getByRole("checkbox", { name: "As tables" }).uncheck();
  });

  it("places the camera, keeps views under names, and films go through keyframes", async () => {
    const camera = () => page.evaluate(() => (window as unknown as Windowed).gravmesh.view.value.camera);
    await open("camera");
    await page.getByRole("button", { name: "Edge-on, y–z" }).click();
    expect(await camera()).toMatchObject({ azimuth: 90, elevation: 0 });
    const elevation = page.getByRole("spinbutton", { name: "Elevation" });
    await elevation.fill("20");
    // What is typed stays when the panel is drawn anew, as a run that goes has it.
    await page.evaluate(async () => {
      const { view } = (window as unknown as Windowed).gravmesh;
      view.value = { ...view.value };
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
    });
    expect(await elevation.inputValue()).toBe("20");
    await page.keyboard.press("Enter");
    expect((await camera()).elevation).toBe(20);
    await page.getByRole("textbox", { name: /Name of the present view/ }).fill("low");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add the present view" }).click();
    await page.getByRole("button", { name: "Face-on" }).click();
    await page.getByRole("button", { name: "Add the present view" }).click();
    expect(await page.locator(".keyframes li").count()).toBe(2);
    const elevations = () =>
      page.evaluate(() =>
        (window as unknown as Windowed).gravmesh.keyframes.value.map(({ at, view }) => [at, view.camera.elevation]),
      );
    expect(await elevations()).toEqual([
      [0, 20],
      [1, 90],
    ]);
    await page.locator(".keyframe-show").first().press("Alt+ArrowDown");
    expect(await elevations()).toEqual([
      [0, 90],
      [1, 20],
    ]);
    await page.getByRole("button", { name: "low", exact: true }).click();
    expect((await camera()).elevation).toBe(20);
    const kept = await page.evaluate(() => localStorage.getItem("gravmesh views"));
    expect(JSON.parse(kept!)[0].name).toBe("low");
  });

  it("turns by dragging, moves with Shift, zooms by wheel and fingers, and goes to what is clicked twice", async () => {
    const look = () => page.evaluate(() => (window as unknown as Windowed).gravmesh.view.value.camera);
    const first = await page.evaluate(() => {
      const { view } = (window as unknown as Windowed).gravmesh;
      const camera = { azimuth: 90, elevation: 90, centre: [4, 4, 4] as const, span: 4 };
      view.value = { ...view.value, camera };
      return camera;
    });
    const frame = page.locator(".pane:not([hidden]) .frame").first();
    const place = (await frame.boundingBox())!;
    const side = await frame.evaluate(({ clientWidth, clientHeight }) => Math.min(clientWidth, clientHeight));
    const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
    const drag = async (dx: number, dy: number) => {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + dx, y + dy);
      await page.mouse.up();
    };
    await drag(20, -30);
    const turned = await look();
    expect(turned.azimuth).toBeCloseTo(90 - (200 * 20) / side, 6);
    expect(turned.elevation).toBeCloseTo(90 - (200 * 30) / side, 6);
    await drag(-20, 30);
    expect((await look()).azimuth).toBeCloseTo(90, 6);
    await page.keyboard.down("Shift");
    await drag(20, -30);
    await page.keyboard.up("Shift");
    const moved = (await look()).centre;
    // From there the picture's right is y, and up −x.
    expect(moved[0]).toBeCloseTo(4 + (4 * 30) / side, 6);
    expect(moved[1]).toBeCloseTo(4 - (4 * 20) / side, 6);

    await page.mouse.move(x, y);
    await page.mouse.wheel(0, 100);
    await expect.poll(async () => (await look()).span, PATIENCE).toBeCloseTo(4 * 1.2, 6);
    // To half a pixel, which the middle may lie between.
    for (const [k, at] of (await look()).centre.entries()) expect(at).toBeCloseTo(moved[k], 2);

    // Two fingers that part to twice the distance.
    const touch = await page.context().newCDPSession(page);
    const fingers = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) => {
      const touchPoints = type === "touchEnd" ? [] : [-1, 1].map((way, id) => ({ x: x + way * apart, y, id }));
      return touch.send("Input.dispatchTouchEvent", { type, touchPoints });
    };
    await fingers("touchStart", 20);
    for (const apart of [25, 30, 35, 40]) await fingers("touchMove", apart);
    await fingers("touchEnd", 0);
    await touch.detach();
    await expect.poll(async () => (await look()).span, PATIENCE).toBeCloseTo((4 * 1.2) / 2, 3);

    const before = await look();
    await page.mouse.dblclick(x + 30, y);
    // To half a pixel: a double click is in whole ones.
    const [across, pixel] = [async () => (await look()).centre[1], before.span / side];
    await expect
      .poll(async () => Math.abs((await across()) - before.centre[1] - 30 * pixel), PATIENCE)
      .toBeLessThanOrEqual(pixel / 2);
    expect(await page.evaluate(() => (window as unknown as Windowed).gravmesh.page.moving.value)).toBe(false);
    expect((await look()).elevation).toBe(first.elevation);
  });

  it("gives away a picture, the numbers, the deck as run and a link", async () => {
    await open("export");
    await page.getByRole("combobox", { name: "Pictures" }).first().selectOption("a");
    await page.getByRole("combobox", { name: "Size" }).first().selectOption("another");
    await page.getByRole("spinbutton", { name: "Width" }).first().fill("200");
    await page.getByRole("spinbutton", { name: "Height" }).first().fill("120");
    await page.keyboard.press("Enter");
    const picture = await downloaded(page, "Save picture (PNG)");
    expect(picture.name).toMatch(/^little-sphere.*\.png$/);
    const { width, height, data, channels } = decode(picture.bytes);
    expect([width, height]).toEqual([200, 120]);
    const colours = new Set<number>();
    for (let i = 0; i < data.length; i += channels) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    expect(colours.size).toBeGreaterThan(10);

    const csv = await downloaded(page, "diagnostics.csv of A");
    const lines = csv.bytes.toString().trim().split("\n");
    expect(lines[0]).toBe(columnHeads().join(","));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines[1].split(",")).toHaveLength(columnHeads().length);

    const deck = await downloaded(page, "Deck as run of B");
    expect(deck.name).toBe("little-sphere-b.toml");
    expect(deck.bytes.toString()).toMatch(/step\s*= 0\.01/);

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.waitForFunction(
      async () => (await navigator.clipboard.readText()).includes("#g1."),
      undefined,
      PATIENCE,
    );
  });

  it("frames the core of a level, tells the cells at the pointer, and draws no frames when asked to", async () => {
    const deck = DECK.replace("cells = 16", "cells = 32").replace(
      "[time]",
      "[[level]]\nrefinement = 2\ncells = 48\n[time]",
    );
    await page.evaluate((text) => {
      const { gravmesh } = window as unknown as Windowed;
      gravmesh.page.panel.value = undefined;
      gravmesh.view.value = {
        ...gravmesh.view.value,
        camera: { azimuth: 0, elevation: 90, centre: [4, 4, 4], span: 8 },
      };
      return gravmesh.stage.open("a", { kind: "deck", text, overrides: [] });
    }, deck);
    await page.waitForFunction(
      () => (window as unknown as Windowed).gravmesh.panes.a.state.value.cores,
      undefined,
      PATIENCE,
    );
    expect((await stateOf(page)).cores).toEqual([{ name: "level", h: 0.125, halfWidth: 0.8125, centre: [4, 4, 4] }]);
    const frame = page.locator(".pane:not([hidden]) .frame").first();
    const place = (await frame.boundingBox())!;
    const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
    const side = Math.min(place.width, place.height);
    const told = page.locator(".cell-size");
    await page.mouse.move(x + (0.75 * side) / 8, y);
    expect(await told.textContent()).toMatch(/^h = 0\.125, level levelsmallest cells along this line of sight/);
    await page.mouse.move(x + (0.9 * side) / 8, y);
    expect(await told.textContent()).toMatch(/^h = 0\.25, mesh of the box/);
    await page.mouse.move(1, 1);
    await expect.poll(() => told.count()).toBe(0);
    /** Where a picture of 400 pixels differs from the one before, from the left [pixel]. */
    const picture = async () => {
      const base64 = await page.evaluate(async () => {
        const { stage } = (window as unknown as Windowed).gravmesh;
        const blob = await stage.picture({ panes: ["a"], width: 400, height: 400, legend: true });
        return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
      });
      return Array.from(decode(Buffer.from(base64, "base64")).data);
    };
    await page.keyboard.press("m");
    const plain = await picture();
    await page.keyboard.press("m");
    const framed = await picture();
    const columns = new Set(plain.flatMap((value, i) => (value === framed[i] ? [] : [Math.floor(i / 4) % 400])));
    const edges = [200 - (0.8125 * 400) / 8, 200 + (0.8125 * 400) / 8];
    expect(Math.abs(Math.min(...columns) - edges[0])).toBeLessThan(1.5);
    expect(Math.abs(Math.max(...columns) - edges[1])).toBeLessThan(1.5);
  });

  it("makes a film of as many pictures as were asked for", async () => {
    await open("export");
    const film = page.locator("fieldset", { hasText: "Make film" });
    await film.getByRole("combobox", { name: "Pictures" }).selectOption("a");
    await film.getByRole("combobox", { name: "Size" }).selectOption("another");
    await film.getByRole("spinbutton", { name: "Width" }).fill("128");
    await film.getByRole("spinbutton", { name: "Height" }).fill("96");
    await film.getByRole("spinbutton", { name: "Length" }).fill("0.5");
    await film.getByRole("spinbutton", { name: "Pictures a second" }).fill("12");
    await page.getByRole("checkbox", { name: "Time stands still" }).check();
    const { name, bytes } = await downloaded(page, "Make film (MP4)");
    expect(name).toBe("little-sphere.mp4");
    expect(bytes.subarray(4, 8).toString("latin1")).toBe("ftyp");
    const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    const track = (await input.getPrimaryVideoTrack())!;
    expect([track.displayWidth, track.displayHeight]).toEqual([128, 96]);
    expect((await track.computePacketStats()).packetCount).toBe(6);
    expect(await track.computeDuration()).toBeCloseTo(0.5, 2);
    await film.getByText(/The film is made/).waitFor(PATIENCE);

    await film.getByRole("spinbutton", { name: "Length" }).fill("600");
    await page.getByRole("button", { name: "Make film (MP4)" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("The film was given up").waitFor(PATIENCE);
    expect((await stateOf(page)).problem).toBeUndefined();
  });

  it("complains of nothing", () => {
    expect(complaints).toEqual([]);
  });
});
