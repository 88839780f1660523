/** `gravmesh run --live`: pages that come, go, are slow, pause and stop; what the run computes knows nothing of them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { boxCoordinates } from "../../src/physics/particles/fixed-point.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { API } from "../../src/studio/live/protocol.ts";
import { eventsOf, gravmesh, type RunningBin, SMALL, start, useWorkFolder } from "../support/cli.ts";
import { frameOf, get, LivePage, UPGRADE } from "../support/live.ts";
import { until } from "../support/patience.ts";

const work = useWorkFolder();
/** Steps are of 0.02. */
const END = 4;
const LONGER = [`time.end=${END}`, "output.snapshots=2", "output.diagnostics=20", "mesh.cells=16"];
const FEW = ["gravity=direct", "mesh.softenedModels=false", "particles.0.count=100"];
const KINDS = {
  cpu: ["plummer", ...SMALL, ...LONGER, "--backend", "cpu"],
  webgpu: ["plummer", ...SMALL, ...LONGER, "--backend", "webgpu"],
  direct: ["plummer", ...SMALL, ...LONGER, ...FEW, "--backend", "cpu"],
};
/** Ten pages come and go in each. */
const ROUNDS = { webgpu: 2, direct: 1 };
type Kind = keyof typeof KINDS;
const started: RunningBin[] = [];
afterAll(() => {
  for (const { child } of started) child.kill("SIGKILL");
});

async function live(args: readonly string[]): Promise<{ address: URL; running: RunningBin; fds: () => number }> {
  const running = start(work(), ["run", ...args, "--live"]);
  started.push(running);
  let text = "";
  running.child.stdout?.on("data", (data) => {
    text += data;
  });
  await running.until("?token=");
  const fds = () => readdirSync(`/proc/${running.child.pid}/fd`).length;
  return { address: new URL(/http:[^\s"]+/.exec(text)![0]), running, fds };
}

/** The run without pages, once. */
const plain = new Map<Kind, Promise<void>>();
function plainRun(kind: Kind): Promise<void> {
  const done =
    plain.get(kind) ?? gravmesh(work(), ["run", ...KINDS[kind], "--out", `plain-${kind}`, "--quiet"]).then(expectEnd);
  plain.set(kind, done);
  return done;
}

/** The run that several tests pause, once. */
let paused: ReturnType<typeof live> | undefined;
function pausedRun(): ReturnType<typeof live> {
  paused ??= live([...KINDS.cpu, "--out", "paused", "--json"]);
  return paused;
}

function expectEnd({ code, stderr }: { code: number | null; stderr: string }): void {
  expect(code, stderr).toBe(0);
}

async function expectSame(out: string, kind: Kind): Promise<void> {
  await plainRun(kind);
  for (const name of ["snapshot_000", "snapshot_001", "snapshot_002"]) {
    const [found, expected] = await Promise.all(
      [out, `plain-${kind}`].map((folder) => readSnapshot(join(work(), folder, `${name}.hdf5`))),
    );
    expect(found.time).toBe(expected.time);
    expect(Buffer.compare(Buffer.from(found.positions.buffer), Buffer.from(expected.positions.buffer)), name).toBe(0);
    expect(Buffer.compare(Buffer.from(found.velocities.buffer), Buffer.from(expected.velocities.buffer)), name).toBe(0);
  }
  const rows = (folder: string) => readFileSync(join(work(), folder, "diagnostics.csv"), "utf8");
  expect(rows(out)).toBe(rows(`plain-${kind}`));
}

/** A text message as a client has to send it. */
function masked(text: string): Buffer {
  const mask = [1, 2, 3, 4];
  return Buffer.from([0x81, 0x80 | text.length, ...mask, ...Buffer.from(text).map((byte, i) => byte ^ mask[i % 4])]);
}

/** A page that asks for frame after frame and reads none of them. */
function deafPage(address: URL): Promise<Socket> {
  const socket = connect(Number(address.port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  const headers = { host: address.host, ...UPGRADE };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const asks = Array.from({ length: 20 }, () => masked('{"ask":"frame","most":2000}'));
  const text = `GET /${API.events}${address.search} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`;
  return new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(text), ...asks]), () => resolve(socket)));
}

/** Ways to come and go; each gives what ends it. */
const VISITS: ((address: URL) => Promise<() => void>)[] = [
  async (address) => {
    const page = await LivePage.open(address, 300);
    await page.until("a frame", () => page.frames.length > 0 || page.closed !== undefined);
    return () => page.close();
  },
  async (address) => {
    const page = await LivePage.open(address, 2000);
    return () => page.socket.terminate();
  },
  async (address) => {
    const socket = await deafPage(address);
    return () => socket.destroy();
  },
  async (address) => {
    const socket = connect(Number(address.port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET /api/about HTTP/1.1\r\nhost: local");
    return () => socket.resetAndDestroy();
  },
  async (address) => {
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${address.searchParams.get("token")}` };
    fetch(new URL(`${API.frame}/0`, address.origin), { headers, signal: gone.signal }).catch(() => {});
    return () => gone.abort();
  },
];

describe("gravmesh run --live", () => {
  it.each(["webgpu", "direct"] as const)(
    "of pages that come and go leaves neither the bits nor a handle changed (%s)",
    async (kind) => {
      const { address, running, fds } = await live([...KINDS[kind], "--out", `visited-${kind}`]);
      const page = await LivePage.open(address, 1);
      const pause = async () => {
        page.send({ ask: "pause" });
        await page.until("the pause", () => page.state === "paused" || page.state === "ended");
      };
      await pause();
      await page.until("a frame", () => page.frames.length > 1);
      const before = fds();
      let [visits, steps] = [0, 0];
      for (let round = 0; round < ROUNDS[kind]; round++) {
        const open: (() => void)[] = [];
        const come = async () => {
          for (const visit of VISITS) {
            open.push(await visit(address));
            visits += 1;
          }
        };
        await come();
        const from = page.frames.at(-1)!.step ?? 0;
        page.send({ ask: "resume" });
        await page.until("a step", () => (page.frames.at(-1)!.step ?? 0) > from);
        await come();
        await pause();
        for (const leave of open) leave();
        // In a pause nothing moves.
        const shown = page.frames.length;
        await page.until("frames of the pause", () => page.frames.length > shown + 4);
        const [a, b] = page.frames.slice(-2);
        expect(a.step).toBe(b.step);
        expect([...a.positions]).toEqual([...b.positions]);
        steps = b.step ?? 0;
      }
      expect([visits, page.state]).toEqual([10 * ROUNDS[kind], "paused"]);
      expect(steps).toBeLessThan(END / 0.02);
      await until(() => fds() <= before);
      page.send({ ask: "resume" });
      expectEnd(await running.done);
      await page.until("the end", () => page.closed !== undefined);
      expect(page.last("state")).toEqual({ event: "state", state: "ended", message: "The run is complete." });
      expect(page.frames.at(-1)).toMatchObject({ step: Math.round(END / 0.02), time: END });
      await expectSame(`visited-${kind}`, kind);
    },
  );

  it("reads back what is asked for, and for a page that has asked once no more than that and the end", async () => {
    await plainRun("webgpu");
    const { address, running } = await live([...KINDS.webgpu, "--out", "slow"]);
    const page = await LivePage.open(address);
    page.ask(500);
    const deaf = await deafPage(address);
    deaf.destroy();
    expectEnd(await running.done);
    await page.until("the end", () => page.closed !== undefined);
    expect(page.frames.map(({ count }) => count)).toEqual([500, 500]);
    const end = await readSnapshot(join(work(), "slow/snapshot_002.hdf5"));
    const last = page.frames[1];
    const { boxSize } = page.last("about")!.about;
    const positions = boxCoordinates(last.positions, last.packedImages, boxSize);
    for (const [k, id] of last.ids.entries()) {
      expect(positions[3 * k]).toBeCloseTo(end.positions[3 * id], 6);
      expect(last.velocities[3 * k]).toBe(end.velocities[3 * id]);
    }
    const bytes = (out: string) =>
      JSON.parse(readFileSync(join(work(), out, "summary.json"), "utf8")).traffic.bytesRead;
    // A recorded particle has 32 bytes; one that is gathered 28. The deaf page may have had one frame.
    expect(bytes("slow") - bytes("plain-webgpu")).toBeLessThanOrEqual(32 * (500 + 2000 + 500));
    await expectSame("slow", "webgpu");
  });

  it("tells everything again after a reload, and gives the snapshots that it has written", async () => {
    const { address } = await pausedRun();
    for (let load = 0; load < 3; load++) {
      const page = await LivePage.open(address, 200);
      page.send({ ask: "pause" });
      await page.until("all of it", () => page.rows > 0 && page.frames.length > 0 && page.state !== "preparing");
      const { about } = page.last("about")!;
      expect(about).toMatchObject({ kind: "live", title: "Plummer sphere", boxSize: 10, status: "running" });
      expect(about.components).toMatchObject([{ first: 0, count: 2000 }]);
      expect(about.deck).toContain("count");
      expect(page.messages.find((one) => one.event === "rows")).toMatchObject({ first: 0 });
      await page.until("the first snapshot", () => page.last("about")!.about.frames.length > 0);
      expect((await frameOf(address, 0, 100)).count).toBe(100);
      expect((await get(address, API.report)).status).toBe(404);
      page.close();
    }
  });

  it("computes nothing where its port can't be had", async () => {
    const { address } = await pausedRun();
    const second = await gravmesh(work(), ["run", ...KINDS.cpu, "--out", "second", "--live", address.port]);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${address.port} can't be had`) });
    expect(existsSync(join(work(), "second"))).toBe(false);
    const wrong = await gravmesh(work(), ["run", "--live", "plummer"]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("put it behind all else") });
  });

  // The next one goes on while this one waits.
  // For how long it waits, and that it does where it is told to stay, is in test/unit/live-pause.test.ts.
  it.concurrent("goes on after a pause when the last page has gone", async () => {
    const { address, running } = await pausedRun();
    const page = await LivePage.open(address);
    page.send({ ask: "pause", stay: true });
    await page.until("a pause that stays", () => page.last("state")?.stays === true);
    page.send({ ask: "pause" });
    await page.until("a pause that doesn't", () => page.last("state")?.stays === false);
    page.close();
    const { code, stdout } = await running.done;
    expect(code).toBe(0);
    expect(eventsOf(stdout).find(({ event }) => event === "live")).toEqual({ event: "live", address: address.href });
    await expectSame("paused", "cpu");
  });

  it.concurrent("is stopped from the page as with Ctrl-C, and goes on with --resume, quietly, in time beside pages that never read", async () => {
    const { address, running } = await live([...KINDS.cpu, "--out", "stopped"]);
    const [page, small] = [await LivePage.open(address, 1000), await LivePage.open(address, 10)];
    await page.until("a step", () => (page.frames.at(-1)?.step ?? 0) > 5);
    await small.until("a frame", () => small.frames.length > 0);
    // Whoever wants few gets few of what another gets.
    const [many, few] = [page.frames[0], small.frames[0]];
    expect([many.count, few.count]).toEqual([1000, 10]);
    expect(few.every % many.every).toBe(0);
    page.send({ ask: "stop" });
    expect(await running.done).toMatchObject({ code: 130, signal: null });
    await page.until("the end", () => page.closed !== undefined);
    expect(
      page.messages
        .filter((one) => one.event === "state")
        .map(({ state }) => state)
        .slice(-2),
    ).toEqual(["stopping", "ended"]);
    expect(page.last("state")?.message).toContain("gravmesh run --resume stopped");
    expect(page.last("about")?.about.status).toBe("interrupted");

    const again = await live(["--resume", "stopped", "--quiet"]);
    const deaf = await Promise.all(Array.from({ length: 4 }, () => deafPage(again.address)));
    const other = await LivePage.open(again.address, 100);
    const { code, stdout } = await again.running.done;
    expect([code, stdout.trim()]).toEqual([0, `watch it at ${again.address.href}`]);
    for (const socket of deaf) socket.destroy();
    await other.until("the end", () => other.closed !== undefined);
    expect(other.frames.length).toBeGreaterThan(0);
    await expectSame("stopped", "cpu");
  });

  it("sends where levels are, of the run as it goes and of its snapshots", async () => {
    const deck = '[box]\nsize = 8.0\n[mesh]\ncells = 32\n[[particles]]\nkind = "plummer"\ncount = 200\ncutoff = 3.0\n';
    const level = '[[level]]\naround = "plummer"\nrefinement = 2\ncells = 48\n';
    writeFileSync(join(work(), "level.toml"), `title = "A level"\n${deck}${level}[time]\nend = 4.0\nstep = 0.02\n`);
    const { address, running } = await live(["level.toml", "--backend", "cpu"]);
    const page = await LivePage.open(address, 100);
    await page.until("a frame", () => page.frames.length > 0);
    await page.until("the first snapshot", () => page.last("about")!.about.frames.length > 0);
    for (const { cores } of [page.frames[0], await frameOf(address, 0, 50)]) {
      expect(cores).toMatchObject([{ name: "plummer", h: 0.125, halfWidth: 0.8125 }]);
      for (const x of cores![0].centre) expect(Math.abs(x - 4)).toBeLessThan(0.3);
    }
    page.send({ ask: "stop" });
    expect((await running.done).code).toBe(130);
  });

  it.runIf(existsSync("/dev/full"))(
    "says on stderr where it can be watched, where its output can't be written",
    async () => {
      const flags = [...KINDS.direct, "time.end=0.02", "--out", "unsaid", "--live"];
      for (const more of [[], ["--json", "--force"]]) {
        const { code, stderr } = await gravmesh(work(), ["run", ...flags, ...more], { through: '"$@" > /dev/full' });
        expect(code).toBe(1);
        expect(stderr).toMatch(/^error: stdout can't be written: no space left on device\.\n/);
        expect(stderr.match(/^watch it at http:\/\/127\.0\.0\.1:\d+\/\?token=.+$/gm)).toHaveLength(1);
      }
    },
  );
});
