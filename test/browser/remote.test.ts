/** The page that `gravmesh view` and `run --live` serve: a folder that is scrubbed, a run that is followed, paused and stopped. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PaneState } from "../../src/doors/site/stage.ts";
import { launchChromium } from "../support/browser.ts";
import { gravmesh, type RunningBin, root, start, useWorkFolder } from "../support/cli.ts";
import { frameOf, LivePage } from "../support/live.ts";
import { PATIENCE, reaches, stateOf, type Windowed } from "../support/live-page.ts";

const COUNT = 400;
const DECK = ["plummer", "mesh.cells=16", `particles.0.count=${COUNT}`, "particles.0.cutoff=2", "--backend", "cpu"];
/** Waits until the pane's state has these entries. */
const until = (page: Page, wanted: Partial<PaneState>) =>
  page.waitForFunction(
    (entries) => {
      const state = (window as unknown as Windowed).gravmesh.panes.a.state.value as unknown as Record<string, unknown>;
      return Object.entries(entries).every(([name, value]) => state[name] === value);
    },
    wanted as Record<string, unknown>,
    PATIENCE,
  );

const untilFrame = (page: Page, shown: number) =>
  page.waitForFunction(
    (index) => {
      const { frames, problem } = (window as unknown as Windowed).gravmesh.panes.a.state.value;
      return frames?.shown === index && !problem;
    },
    shown,
    PATIENCE,
  );

/** What lies behind the picture. */
const gridOf = (page: Page) =>
  page.evaluate(async () => {
    const { counts, positions } = await (window as unknown as Windowed).gravmesh.stage.grid("a");
    return { counted: counts.reduce((sum, one) => sum + one, 0), positions: [...positions] };
  });

describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("the served page", () => {
  const work = useWorkFolder();
  let browser: Browser;
  let context: BrowserContext;
  const running: RunningBin[] = [];
  const complaints: string[] = [];

  async function served(...args: string[]): Promise<{ address: URL; program: RunningBin }> {
    const program = start(work(), args);
    running.push(program);
    let text = "";
    program.child.stdout?.on("data", (data) => {
      text += data;
    });
    await program.until("?token=");
    await program.until("\n");
    return { address: new URL(/http:\S+/.exec(text)![0]), program };
  }

  async function opened({ href }: URL): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !/ERR_CONNECTION_REFUSED/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(href);
    return page;
  }

  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext({ viewport: { width: 480, height: 360 }, reducedMotion: "reduce" });
    const run = ["run", ...DECK, "--out", "results", "time.end=0.2", "output.snapshots=2", "--quiet"];
    const { code, stderr } = await gravmesh(work(), run);
    expect(code, stderr).toBe(0);
  });
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await browser?.close();
  });

  it("shows in a notebook's frame by the Python package's widget, and then the picture that is left", async () => {
    const { address, program } = await served("view", "results");
    const widget = readFileSync(join(root, "src/doors/python/gravmesh/live.js"));
    const cell = `<body><script type="module">
      import widget from "/live.js";
      const values = { address: ${JSON.stringify(address.href)}, height: 300, picture: new DataView(new ArrayBuffer(0)) };
      const heard = {};
      const model = { get: (name) => values[name], on: (name, call) => (heard[name] = call), off: (name) => delete heard[name] };
      const el = document.body.appendChild(document.createElement("div"));
      window.leave = widget.render({ model, el });
      window.put = (bytes) => { values.picture = new DataView(Uint8Array.from(bytes).buffer); heard["change:picture"](); };
      window.heard = heard;
    </script>`;
    const notebook = createServer(({ url }, response) => {
      response.setHeader("content-type", url === "/live.js" ? "text/javascript" : "text/html");
      response.end(url === "/live.js" ? widget : cell);
    });
    await once(notebook.listen(0, "127.0.0.1"), "listening");
    const page = await opened(new URL(`http://localhost:${(notebook.address() as AddressInfo).port}/`));
    const frame = await (await page.waitForSelector("iframe")).contentFrame();
    await untilFrame(frame as unknown as Page, 0);
    await until(frame as unknown as Page, { status: "shown", connected: true, particles: COUNT });
    expect(await page.getByRole("link").getAttribute("href")).toBe(address.href);
    const png = readFileSync(join(root, "docs/orbits.png"));
    await page.evaluate((bytes) => (window as unknown as { put(all: number[]): void }).put(bytes), [...png]);
    await page.waitForFunction(() => (document.querySelector("img")?.naturalWidth ?? 0) > 0);
    expect(await page.locator("iframe").count()).toBe(0);
    const left = () => Object.keys((window as unknown as { heard: object; leave(): void }).heard);
    expect(await page.evaluate(left)).toEqual(["change:picture"]);
    await page.evaluate(() => (window as unknown as { leave(): void }).leave());
    expect(await page.evaluate(left)).toEqual([]);
    await page.close();
    notebook.close();
    program.child.kill("SIGINT");
    await program.done;
  });

  it("scrubs through a folder, and keeps its picture when the server goes", async () => {
    const { address, program } = await served("view", "results");
    const page = await opened(address);
    await untilFrame(page, 0);
    await until(page, { status: "shown", connected: true, particles: COUNT, title: "Plummer sphere" });
    for (const index of [2, 1]) {
      await page.getByLabel("Snapshot", { exact: true }).fill(String(index));
      await untilFrame(page, index);
      const [grid, frame] = [await gridOf(page), await frameOf(address, index, COUNT)];
      expect(grid.positions).toEqual([...frame.positions]);
      expect(grid.counted).toBeGreaterThan(COUNT / 2);
      expect((await stateOf(page)).time).toBe(frame.time);
    }
    await page.reload();
    await untilFrame(page, 0);
    // As fast as keys come: each counts from the one before, not from what has been drawn.
    await page.evaluate(() => {
      for (const key of [".", "."]) window.dispatchEvent(new KeyboardEvent("keydown", { key }));
    });
    await untilFrame(page, 2);
    await page.evaluate(() => {
      for (const key of [",", ","]) window.dispatchEvent(new KeyboardEvent("keydown", { key }));
    });
    await untilFrame(page, 0);
    const before = await gridOf(page);
    program.child.kill("SIGINT");
    expect((await program.done).code).toBe(0);
    await until(page, { connected: false });
    expect(await gridOf(page)).toEqual(before);
    await page.close();
    expect(complaints).toEqual([]);
  });

  it("follows a run, pauses it and stops it", async () => {
    const { address, program } = await served(
      "run",
      ...DECK,
      "--out",
      "followed",
      "time.end=1000",
      "output.snapshots=1",
      "--live",
    );
    const page = await opened(address);
    await until(page, { status: "running", connected: true });
    await reaches(page, 6);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await until(page, { status: "paused" });
    const other = await LivePage.open(address, COUNT);
    await other.until("two frames", () => other.frames.length > 1);
    const [first, second] = other.frames;
    expect([first.step, [...first.positions]]).toEqual([second.step, [...second.positions]]);
    await page.waitForFunction(
      (time) => (window as unknown as Windowed).gravmesh.panes.a.state.value.time >= time,
      second.time,
      PATIENCE,
    );
    await expect.poll(async () => (await gridOf(page)).positions, PATIENCE).toEqual([...second.positions]);

    // Back to what has been written, and to the present again.
    const written = await frameOf(address, 0, COUNT);
    await page.getByLabel("Snapshot", { exact: true }).fill("0");
    await untilFrame(page, 0);
    expect((await gridOf(page)).positions).toEqual([...written.positions]);
    expect(await stateOf(page)).toMatchObject({ time: 0, status: "paused", frames: { times: [0], live: true } });
    expect(await page.getByLabel("Snapshot", { exact: true }).getAttribute("aria-valuetext")).toMatch(
      /^snapshot 1 of 1, t = 0/,
    );
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Next snapshot" }).click();
    await untilFrame(page, 1);
    expect((await gridOf(page)).positions).toEqual([...second.positions]);
    expect((await stateOf(page)).time).toBe(second.time);

    await page.reload();
    await until(page, { status: "paused" });
    await expect.poll(async () => (await gridOf(page)).positions, PATIENCE).toEqual([...second.positions]);
    await page.getByRole("button", { name: "Stop the run" }).click();
    expect((await program.done).code).toBe(130);
    await until(page, { status: "done", connected: false });
    expect((await stateOf(page)).notice).toContain("gravmesh run --resume followed");
    // One state: nothing is asked for any more of a server that has gone for good.
    const figures = page.locator(".figures");
    expect(await figures.textContent()).toContain("finished");
    expect(await figures.textContent()).not.toContain("reconnecting");
    expect((await stateOf(page)).frames).toBeUndefined();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("websocket", (socket) => asked.push(socket.url()));
    await page.waitForTimeout(3000);
    expect(asked).toEqual([]);
    expect(await page.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
    expect((await gridOf(page)).positions).toEqual([...second.positions]);
    await page.close();
    expect(complaints).toEqual([]);
  });
});
