/**
 * The page's worker in headless Chromium, on SwiftShader: runs and their bits, pictures and their integers, forks and
 * comparisons, what goes wrong and how it goes on.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode } from "fast-png";
import { ALL_FORMATS, BlobSource, Input } from "mediabunny";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PaneGrid, PaneState } from "../../src/doors/site/stage.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { acquireContext } from "../../src/foundation/gpu/device.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { writeSnapshot } from "../../src/run/io/snapshot.node.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { projectionOf } from "../../src/studio/view/camera.ts";
import { countOnHost } from "../../src/studio/view/host-counts.ts";
import { layerPlan } from "../../src/studio/view/layers.ts";
import { contentOf } from "../../src/studio/view/scene.ts";
import { hostParticles } from "../../src/studio/view/uploaded-scene.ts";
import { type StageLab, stageLab } from "../support/stage-lab.ts";
import type { Lab } from "../support/stage-page.ts";
import { swiftShaderDriver } from "../support/swiftshader.ts";

declare const lab: Lab;

const SPHERE = `title = "sphere"
[box]
size = 10
[mesh]
cells = 16
[[particles]]
kind = "plummer"
count = 2000
cutoff = 3
[time]
end = 1
step = 0.05
[output]
snapshots = 2
diagnostics = 5
`;
describe.runIf(process.env.GRAVMESH_NO_BROWSER !== "1")("the stage", () => {
  let all: StageLab | undefined;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    all = await stageLab();
    page = await pageOf();
  });
  afterAll(() => all?.close());

  async function pageOf(without?: string): Promise<Page> {
    const opened = await all!.open(without);
    opened.on("pageerror", (error) => complaints.push(String(error)));
    opened.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await opened.evaluate(() => Promise.all([lab.attach("a", 160, 120), lab.attach("b", 160, 120)]));
    return opened;
  }

  /** A deck in a pane; resolves when it can go, or has failed. */
  const open = (text: string, overrides: string[] = [], pane: "a" | "b" = "a", on = page): Promise<PaneState> =>
    on.evaluate(
      async ({ text, overrides, pane }) => {
        lab.events[pane].length = 0;
        await lab.stage.open(pane, { kind: "deck", text, overrides });
        return lab.until(pane, (state) => !["empty", "preparing"].includes(state.status));
      },
      { text, overrides, pane },
    );
  const state = (pane: "a" | "b", status: PaneState["status"], on = page): Promise<PaneState> =>
    on.evaluate(({ pane, status }) => lab.until(pane, (one) => one.status === status), { pane, status });
  const gridOf = (pane: "a" | "b"): Promise<PaneGrid> => page.evaluate((name) => lab.stage.grid(name), pane);

  // First, while the device has no kernels yet.
  it("tells a kernel that the browser's compiler refuses from a device that is lost, of runs and of pictures", async () => {
    for (const kernel of ["deposit/", "view/down"]) {
      await page.evaluate((name) => lab.spoil(name), kernel);
      await open(SPHERE);
      // A picture is drawn at the latest when it is asked for.
      const told = state("a", "failed");
      await page.evaluate(() => lab.stage.grid("a").catch(() => {}));
      const { problem } = await told;
      expect(problem?.kind).toBe("kernel");
      expect(problem?.message).toMatch(new RegExp(`kernel ${kernel}.* does not compile:\n\\S+\\.wgsl:\\d+`));
      expect(problem?.message).not.toContain("lost");
      expect(problem?.advice?.[0]).toContain("another browser may take it");
    }
    await page.evaluate(() => lab.spoil(""));
  });

  it("runs a deck, whose picture is that of its particles to the count, while it goes", async () => {
    const opened = await open(SPHERE);
    expect(opened).toMatchObject({ status: "paused", title: "sphere", particles: 2000, cells: 16, backend: "webgpu" });
    const first = await gridOf("a");
    await page.evaluate(() => lab.stage.play());
    const { components } = await page.evaluate(() => lab.until("a", ({ step }) => step >= 4));
    const moved = await gridOf("a");
    for (const grid of [first, moved]) {
      const content = {
        ...{ boxSize: grid.boxSize, periodic: grid.periodic },
        components: [{ ...components[0], first: 0 }],
        weights: { common: () => 1, heaviest: 1 } as never,
      };
      const { positions, velocities, images } = grid;
      const plan = layerPlan(content, grid.view);
      const projection = projectionOf(grid.view.camera, grid, content);
      const { counts } = countOnHost({ ...content, positions, velocities, images }, projection, plan, 0);
      expect(Array.from(grid.counts)).toEqual(Array.from(counts));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1500);
    }
    expect(Array.from(moved.counts)).not.toEqual(Array.from(first.counts));
    const done = await state("a", "done");
    expect(done).toMatchObject({ time: 1, step: 20, fraction: 1 });
    const rows = await page.evaluate(() => lab.events.a.flatMap((one) => (one.event === "rows" ? one.rows : [])));
    // The deck has five and the beginning, a page a hundred where steps allow.
    expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: 21 }, (_, i) => i));
    expect(rows[0].relativeEnergyError).toBe(0);
  });

  it.runIf(swiftShaderDriver())("gives the bits of the same run in Node, wherever it was paused", async () => {
    vi.stubEnv("VK_DRIVER_FILES", swiftShaderDriver()!);
    const gpu = await acquireContext(nodeGpu("SwiftShader"));
    try {
      for (const [text, steps] of [[SPHERE, [3, 11]]] as const) {
        await open(text);
        for (const step of steps) {
          await page.evaluate(async (least) => {
            await lab.stage.play();
            await lab.until("a", (one) => one.step >= least);
            await lab.stage.pause();
          }, step);
          await gridOf("a");
        }
        await page.evaluate(() => lab.stage.step());
        await page.evaluate(() => lab.stage.play());
        const { step, time } = await state("a", "done");
        const tab = await gridOf("a");
        const simulation = await Simulation.create(parseScenario(text), { gpu });
        try {
          await simulation.advance();
          expect([simulation.step, simulation.time]).toEqual([step, time]);
          const node = hostParticles(contentOf(simulation), await simulation.readParticles());
          expect(tab.positions).toEqual(node.positions);
          expect(tab.velocities).toEqual(node.velocities);
          expect(tab.images).toEqual(node.images);
        } finally {
          simulation.destroy();
        }
      }
    } finally {
      gpu.destroy();
      vi.unstubAllEnvs();
    }
  });

  it("pauses, steps and restarts", async () => {
    await open(SPHERE, ["time.step=0.005"]);
    await page.evaluate(() => lab.stage.play());
    await page.evaluate(() => lab.until("a", ({ step }) => step >= 2));
    await page.evaluate(() => lab.stage.pause());
    const paused = await state("a", "paused");
    const before = await gridOf("a");
    expect((await gridOf("a")).positions).toEqual(before.positions);
    await page.evaluate(() => lab.stage.step());
    const stepped = await page.evaluate((step) => lab.until("a", (one) => one.step > step), paused.step);
    expect(stepped).toMatchObject({ status: "paused", step: paused.step + 1 });
    expect((await gridOf("a")).positions).not.toEqual(before.positions);
    await page.evaluate(() => lab.stage.restart());
    expect(
      await page.evaluate(() => lab.until("a", ({ status, step }) => status === "paused" && step === 0)),
    ).toBeDefined();
  });

  it("plays what was opened last, though it was asked for while another was on its way", async () => {
    await page.evaluate(
      ([text]) => {
        const source = { kind: "deck" as const, text, overrides: ["time.step=0.01"] };
        void lab.stage.open("a", source);
        void lab.stage.open("a", { ...source, overrides: ["time.step=0.02"] });
        void lab.stage.play();
      },
      [SPHERE],
    );
    // 0.04 after two steps: of the second.
    expect(await page.evaluate(() => lab.until("a", ({ step }) => step >= 2))).toBeDefined();
    await page.evaluate(() => lab.stage.pause());
    const { time, step } = await state("a", "paused");
    expect(time / step).toBeCloseTo(0.02, 9);
  });

  it("forks with other parameters, refuses what would draw particles anew, and compares at equal times", async () => {
    await open(SPHERE, ["time.step=0.01"]);
    await page.evaluate(() => lab.stage.step());
    await page.evaluate(() => lab.stage.step());
    const at = await gridOf("a");
    const refused = await page.evaluate(() =>
      lab.stage.fork("a", "b", ["particles.0.count=50"]).catch((error: Error) => error.message),
    );
    expect(refused).toMatch(/^particles\[0\]\.count is 2000, and the particles are drawn with it/);
    await page.evaluate(() => {
      lab.events.b.length = 0;
      return lab.stage.fork("a", "b", ["time.step=0.004", "time.end=0.8"]);
    });
    const forked = await state("b", "paused");
    expect(forked).toMatchObject({ start: 0.02, end: 0.8, particles: 2000, fraction: 0 });
    expect((await gridOf("b")).positions).toEqual(at.positions);
    expect(await page.evaluate(() => lab.stage.deck("b"))).toMatch(/^step += 0\.004/m);
    await page.evaluate(() => lab.stage.play());
    await page.evaluate(() => lab.until("b", ({ step }) => step >= 12));
    await page.evaluate(() => lab.stage.pause());
    const [a, b] = [await state("a", "paused"), await state("b", "paused")];
    expect(Math.abs(a.time - b.time)).toBeLessThan(0.011);
    expect(b.time).toBeGreaterThan(0.04);
    await page.evaluate(() => lab.stage.close("b"));
    expect((await state("b", "empty")).particles).toBe(0);
  });

  it("makes PNG and MP4, both panes beside each other", async () => {
    await open(SPHERE);
    await open(SPHERE, ["particles.0.count=500"], "b");
    const png = decode(
      Uint8Array.from(
        await page.evaluate(() =>
          lab.bytes(lab.stage.picture({ panes: ["a", "b"], width: 100, height: 80, legend: true })),
        ),
      ),
    );
    expect([png.width, png.height]).toEqual([204, 80]);
    const colours = new Set(Array.from({ length: 204 * 80 }, (_, i) => png.data.slice(4 * i, 4 * i + 3).join(" ")));
    expect(colours.size).toBeGreaterThan(50);
    await page.evaluate(() => lab.stage.close("b"));
    const shares: number[] = [];
    await page.exposeFunction("share", (share: number) => shares.push(share));
    const film = await page.evaluate(async () => {
      const { view } = await lab.stage.grid("a");
      const from = { ...view, camera: { ...view.camera, span: 2 * view.camera.span } };
      const keyframes = [
        { at: 0, view: from },
        { at: 1, view },
      ];
      const size = { width: 128, height: 96 };
      const request = { panes: ["a" as const], ...size, seconds: 1, rate: 8, keyframes, until: 0.2, legend: false };
      const share = (window as unknown as { share: (share: number) => void }).share;
      return lab.bytes(lab.stage.film(request, lab.proxy(share)));
    });
    expect(shares.at(-1)).toBe(1);
    const input = new Input({ source: new BlobSource(new Blob([Uint8Array.from(film)])), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    expect(await input.getMimeType()).toMatch(/^video\/mp4/);
    expect([track!.displayWidth, track!.displayHeight]).toEqual([128, 96]);
    expect(await track!.computeDuration()).toBeCloseTo(1, 6);
    expect((await track!.computePacketStats()).packetCount).toBe(8);
    await page.evaluate(() => lab.stage.pause()); // the page has the events of it
    expect((await state("a", "paused")).time).toBeCloseTo(0.2, 12);
    const given = page.evaluate(() =>
      lab.stage
        .film(
          { panes: ["a"], width: 128, height: 96, seconds: 60, rate: 30, keyframes: [], legend: false },
          lab.proxy((share) => {
            if (share > 0) void lab.stage.cancelFilm();
          }),
        )
        .catch((error: Error) => error.message),
    );
    expect(await given).toBe("The film was given up");
  });

  it("says what is wrong, with lines and advice, and opens the next", async () => {
    const wrong = await open(SPHERE.replace("cells = 16", "cels = 16"));
    expect(wrong.status).toBe("failed");
    expect(wrong.problem).toMatchObject({ kind: "scenario", line: 5 });
    const failing = await open(SPHERE, ["time.maxEnergyError=1e-12"]);
    expect(failing.status).toBe("paused");
    await page.evaluate(() => lab.stage.play());
    const failed = await state("a", "failed");
    expect(failed.problem?.kind).toBe("numerical");
    expect(failed.problem?.message).toMatch(/above time\.maxEnergyError/);
    const large = await open(SPHERE, ["mesh.cells=1024"]);
    expect(large).toMatchObject({ status: "failed", problem: { kind: "memory" } });
    expect(large.problem?.advice?.[0]).toMatch(/^mesh\.cells=\d+$/);
    const files = await open(
      SPHERE.replace('kind = "plummer"\ncount = 2000\ncutoff = 3', 'kind = "snapshot"\nfile = "x.hdf5"'),
    );
    expect(files.problem?.message).toMatch(/x\.hdf5, which the page doesn't have/);
    expect((await open(SPHERE)).status).toBe("paused");
  });

  it("goes on with another device after one was lost", async () => {
    await open(SPHERE);
    await page.evaluate(() => lab.stage.play());
    await page.evaluate(() => lab.until("a", ({ step }) => step >= 1));
    await page.evaluate(() => lab.lose());
    const { problem } = await state("a", "failed");
    expect(problem?.kind).toBe("lost");
    expect(problem?.message).toMatch(/(^|: )the GPU device was lost: the driver was restarted/);
    expect(await page.evaluate(() => lab.stage.deck("a"))).toContain("title");
    await page.evaluate(() => {
      lab.events.a.length = 0;
      return lab.stage.restart();
    });
    await page.evaluate(() => lab.until("a", ({ status }) => status === "paused"));
    await page.evaluate(() => lab.stage.play());
    expect((await state("a", "done")).step).toBe(20);
    expect((await gridOf("a")).counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1500);
  });

  it("holds no more after thirty runs than after one", async () => {
    const few = SPHERE.replace("count = 2000", "count = 200");
    const closed = async () => {
      await page.evaluate(() => lab.stage.close("a"));
      return page.evaluate(async () => {
        // What was given up while it was prepared is given back when that has ended.
        let [last, now] = [-1, await lab.buffers()];
        while (now.count !== last) {
          last = now.count;
          await new Promise((resolve) => setTimeout(resolve, 250));
          now = await lab.buffers();
        }
        return now;
      });
    };
    await open(few);
    const once = await closed();
    await page.evaluate(async (text) => {
      for (let i = 0; i < 30; i++) {
        lab.events.a.length = 0;
        await lab.stage.open("a", { kind: "deck", text, overrides: [] });
        if (i % 10 === 0) await lab.until("a", ({ status }) => status === "paused");
        await lab.stage.close("a");
      }
    }, few);
    expect(await closed()).toEqual(once);
  });

  it("offers small runs on the CPU where there is no WebGPU, and says what to switch on", async () => {
    const other = await pageOf("gpu");
    const ability = await other.evaluate(() => lab.stage.ability());
    expect(ability).toMatchObject({ webgpu: false });
    expect(ability.why).toMatch(/chrome:\/\/flags/);
    const opened = await open(SPHERE, ["time.end=0.2"], "a", other);
    expect(opened).toMatchObject({ status: "paused", backend: "cpu" });
    expect(opened.notice).toMatch(/CPU/);
    await other.evaluate(() => lab.stage.play());
    expect((await state("a", "done", other)).step).toBe(4);
    const grid = await other.evaluate(() => lab.stage.grid("a"));
    expect(grid.counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1500);
    const large = await open(SPHERE, ["mesh.cells=128"], "a", other);
    expect(large.problem).toMatchObject({ kind: "memory", advice: ["mesh.cells=64"] });
    await other.close();
  });

  it("shows snapshots that are dropped onto it, and starts decks from them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gravmesh-dropped-"));
    try {
      const scenario = parseScenario(SPHERE, { overrides: ["output.particlesPerFile=1500"] });
      const { particles } = await initialConditions(scenario, { G: 1 });
      const name = join(folder, "snapshot_000.hdf5");
      await writeSnapshot(name, particles, {
        scenario,
        time: 0.5,
        fields: ["positions", "velocities", "ids", "masses"],
      });
      const names = readdirSync(folder);
      expect(names).toEqual(["snapshot_000.0.hdf5", "snapshot_000.1.hdf5"]);
      const files = names.map((one) => ({ name: one, bytes: [...readFileSync(join(folder, one))] }));
      const dropped = await page.evaluate(async (given) => {
        const list = given.map(({ name, bytes }) => new File([Uint8Array.from(bytes)], name));
        lab.events.a.length = 0;
        await lab.stage.open("a", { kind: "snapshot", files: list });
        return lab.until("a", ({ status }) => status === "shown" || status === "failed");
      }, files);
      expect(dropped.problem).toBeUndefined();
      expect(dropped).toMatchObject({ status: "shown", particles: 2000, time: 0.5, boxSize: 10, periodic: false });
      const exact = hostParticles(
        { boxSize: 10, periodic: false, components: particles.components, weights: undefined as never },
        particles,
      );
      expect((await gridOf("a")).positions).toEqual(exact.positions);
      const deck = SPHERE.replace(/kind = "plummer"[^[]*/, 'kind = "snapshot"\nfile = "snapshot_000.hdf5"\n');
      const begun = await page.evaluate(
        async ({ given, text }) => {
          const list = given.map(({ name, bytes }) => new File([Uint8Array.from(bytes)], name));
          lab.events.a.length = 0;
          await lab.stage.open("a", { kind: "deck", text, overrides: [], files: list });
          return lab.until("a", ({ status }) => status === "paused" || status === "failed");
        },
        { given: files, text: deck },
      );
      expect(begun.problem).toBeUndefined();
      expect(begun).toMatchObject({ status: "paused", particles: 2000, time: 0 });
      expect((await gridOf("a")).positions).toEqual(exact.positions);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("complains of nothing else", () => expect(complaints).toEqual([]));
});
