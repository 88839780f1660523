/** `gravmesh view`: what it serves of a result folder, to whom, and how it ends. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { Agent, get as httpGet } from "node:http";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BAR_COLUMNS } from "../../src/engine/diagnostics/bar-strength.ts";
import { boxCoordinates } from "../../src/physics/particles/fixed-point.ts";
import { csvText } from "../../src/run/io/csv.ts";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { type About, API } from "../../src/studio/live/protocol.ts";
import { gravmesh, type RunningBin, root, start, useWorkFolder } from "../support/cli.ts";
import { frameOf, get, LivePage, raw, statusOf, UPGRADE } from "../support/live.ts";
import { until } from "../support/patience.ts";

const work = useWorkFolder();
const COUNT = 500;
const DECK = [
  ...["plummer", "mesh.cells=16", `particles.0.count=${COUNT}`, "particles.0.cutoff=2", "time.end=0.2"],
  ...["output.snapshots=2", "output.diagnostics=4", "--backend", "cpu", "--quiet"],
];
const EXTENSION = ["--extension", "bulk-speed.mjs"];
const running: RunningBin[] = [];

async function view(...args: string[]): Promise<URL> {
  const { address } = await served(...args);
  return address;
}

async function served(...args: string[]): Promise<{ address: URL; program: RunningBin }> {
  return servedWith({}, ...args);
}

async function servedWith(env: Record<string, string>, ...args: string[]) {
  const program = start(work(), ["view", ...args, "--json"], { env });
  running.push(program);
  let text = "";
  program.child.stdout?.on("data", (data) => {
    text += data;
  });
  await program.until('"address"');
  return { address: new URL(JSON.parse(text.split("\n")[0]).address), program };
}

async function run(out: string, ...more: string[]): Promise<void> {
  const { code, stderr } = await gravmesh(work(), ["run", ...DECK, "--out", out, ...more]);
  expect(code, stderr).toBe(0);
}

/** Of a request by an agent; and whether it went over a connection that was there before. */
const statusBy = (agent: Agent, address: URL): Promise<[number | undefined, boolean]> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${address.searchParams.get("token")}` };
    const request = httpGet(new URL(API.about, address.origin), { agent, headers }, (answer) => {
      answer.resume().once("end", () => resolve([answer.statusCode, request.reusedSocket]));
    });
    request.once("error", reject);
  });

const aboutOf = async (address: URL) => (await (await get(address, API.about)).json()) as About;

describe("gravmesh view", () => {
  let address: URL;

  beforeAll(async () => {
    await run("results", "output.particlesPerFile=200", "subsample.every=7", "subsample.count=4");
    address = await view("results");
    copyFileSync(join(root, "docs/examples/bulk-speed.mjs"), join(work(), "bulk-speed.mjs"));
    await run("box", 'box.boundary="periodic"', "output.powerSpectra=true", ...EXTENSION);
  });
  afterAll(() => {
    for (const { child } of running) child.kill("SIGKILL");
  });

  it("serves the page to whoever is on this machine, and lets it load nothing from elsewhere", async () => {
    const answer = await fetch(address.origin);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("<!doctype html>");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain(`connect-src 'self' ws://${address.host};`);
    expect(policy).not.toContain("unsafe-inline");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("tells of the run, and never lets an answer be kept", async () => {
    const answer = await get(address, API.about);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const about = (await answer.json()) as About;
    expect(about).toMatchObject({ kind: "folder", title: "Plummer sphere", status: "complete", report: true });
    expect(about).toMatchObject({ periodic: false, cells: 16, end: 0.2, components: [{ first: 0, count: COUNT }] });
    expect(about.frames.map(({ time, step }) => [time, step])).toEqual([
      [0, 0],
      [0.1, 5],
      [0.2, 10],
    ]);
  });

  it("gives every k-th particle of a snapshot of several files, the same in all frames, to the bit", async () => {
    const ids = Array.from({ length: 100 }, (_, k) => 5 * k);
    for (const index of [0, 1, 2]) {
      const frame = await frameOf(address, index, 120);
      expect(frame).toMatchObject({ count: 100, of: COUNT, every: 5, step: 5 * index, masses: [1 / COUNT] });
      expect([...frame.ids]).toEqual(ids);
      const whole = await readSnapshot(join(work(), `results/snapshot_00${index}.0.hdf5`));
      const { boxSize } = await aboutOf(address);
      const positions = boxCoordinates(frame.positions, frame.packedImages, boxSize);
      for (const [k, id] of ids.entries()) {
        for (let axis = 0; axis < 3; axis++) {
          // Fixed point has 2^-32 of the box.
          expect(positions[3 * k + axis]).toBeCloseTo(whole.positions[3 * id + axis], 7);
          expect(frame.velocities[3 * k + axis]).toBe(Math.fround(whole.velocities[3 * id + axis]));
        }
      }
    }
    expect((await frameOf(address, 1, COUNT)).every).toBe(1);
  });

  it("gives subsamples where they are asked for, in multiples of what they have", async () => {
    const other = await view("results", "--from", "subsamples");
    const about = await aboutOf(other);
    expect(about.frames.map(({ time }) => time)).toEqual([0, 0.06, 0.1, 0.16, 0.2].map((t) => expect.closeTo(t, 1)));
    const frame = await frameOf(other, 1, 40);
    expect(frame.every).toBe(14);
    expect([...frame.ids.subarray(0, 3)]).toEqual([0, 14, 28]);
  });

  it("tells rows, spectra and what is shown by WebSocket", async () => {
    const page = await LivePage.open(address);
    await page.until("rows", () => page.rows === 5);
    expect(page.state).toBe("shown");
    const [first] = page.last("rows")!.rows;
    expect(first).toMatchObject({
      time: 0,
      step: 0,
      momentum: [expect.any(Number), expect.any(Number), expect.any(Number)],
    });
    page.close();
    const other = await LivePage.open(await view("box"));
    await other.until("spectra", () => other.messages.filter(({ event }) => event === "spectrum").length === 3);
    const { time, k, power } = other.last("spectrum")!;
    expect(time).toBe(0.2);
    const table = readFileSync(join(work(), "box/power_002.csv"), "utf8").trim().split("\n").slice(2);
    expect(k.map((one, i) => [one, power[i]])).toEqual(
      table.map((line) => [0, 3].map((at) => Number(line.split(",")[at]))),
    );
    other.close();
  });

  it("shows the report without scripts", async () => {
    const answer = await fetch(new URL(`${API.report}${address.search}`, address.origin));
    expect(await answer.text()).toBe(readFileSync(join(work(), "results/report.html"), "utf8"));
    expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
  });

  it("may be framed by a notebook of this machine that has the token", async () => {
    const policyOf = async (url: URL | string) => (await fetch(url)).headers.get("content-security-policy");
    expect(await policyOf(address)).toMatch(/frame-ancestors http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*$/);
    expect(await policyOf(address.origin)).toMatch(/frame-ancestors 'none'$/);
    expect(await policyOf(`${address.origin}/?token=x`)).toMatch(/frame-ancestors 'none'$/);
  });

  it("refuses a wrong token, other hosts and origins, other methods, and paths that aren't there", async () => {
    const token = address.searchParams.get("token")!;
    expect(Buffer.from(token, "base64url").length).toBeGreaterThanOrEqual(16);
    const about = `GET /${API.about}`;
    const bearer = { authorization: `Bearer ${token}` };
    const cases: [number, string, Record<string, string>?][] = [
      [200, `${about} HTTP/1.1`, bearer],
      [200, `${about}?token=${token} HTTP/1.1`],
      [200, `${about} HTTP/1.1`, { ...bearer, host: "localhost:8080" }],
      [200, `${about} HTTP/1.1`, { ...bearer, host: "[::1]:8080", origin: "http://[::1]:8080" }],
      [401, `${about} HTTP/1.1`],
      [401, `${about}?token= HTTP/1.1`],
      [401, `${about}?token=${token}x HTTP/1.1`],
      [401, `${about} HTTP/1.1`, { authorization: `Bearer ${token.slice(1)}` }],
      [401, `${about} HTTP/1.1`, { cookie: `token=${token}` }],
      [403, `${about} HTTP/1.1`, { ...bearer, host: "evil.example" }],
      [403, `${about} HTTP/1.1`, { ...bearer, host: "127.0.0.1.evil.example" }],
      [403, `${about} HTTP/1.1`, { ...bearer, host: "localhost@evil.example" }],
      [403, "GET / HTTP/1.1", { host: "evil.example" }],
      [403, `${about} HTTP/1.1`, { ...bearer, origin: "http://evil.example" }],
      [403, `${about} HTTP/1.1`, { ...bearer, origin: "null" }],
      [403, `${about} HTTP/1.1`, { ...bearer, origin: `https://${address.host}` }],
      [403, `${about} HTTP/1.1`, { ...bearer, "sec-fetch-site": "cross-site" }],
      ...["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"].map(
        (method): [number, string, Record<string, string>] => [405, `${method} /${API.about} HTTP/1.1`, bearer],
      ),
      [413, `${about} HTTP/1.1`, { ...bearer, "content-length": "5" }],
      [400, `${about} HTTP/1.1`, { ...bearer, "content-length": "none" }],
      [431, `${about} HTTP/1.1`, { ...bearer, "x-long": "x".repeat(40_000) }],
      ...["//evil.example/", "http://evil.example/", "*"].map((path): [number, string] => [
        400,
        `GET ${path} HTTP/1.1`,
      ]),
      ...[
        ...["/../package.json", "/..%2fpackage.json", "/%2e%2e/package.json", "/parts/../../package.json"],
        ...["/..\\package.json", "/%c0%ae%c0%ae/package.json", "/%00", "/index.html%00.js", "/parts"],
        "/results/scenario.toml",
      ].map((path): [number, string] => [404, `GET ${path} HTTP/1.1`]),
      ...[
        "../report",
        "frame/../../x",
        "frame/%2e%2e",
        "frame/-1",
        "frame/1e1",
        "frame/9999999999",
        "frame",
        "scenario.toml",
        "events",
      ].map((path): [number, string, Record<string, string>] => [404, `GET /api/${path} HTTP/1.1`, bearer]),
      [404, `GET /${API.frame}/3 HTTP/1.1`, bearer],
      ...["0", "-1", "1e9", "x", "1.5", "9999999999"].map((most): [number, string, Record<string, string>] => [
        400,
        `GET /${API.frame}/0?most=${most} HTTP/1.1`,
        bearer,
      ]),
    ];
    // One after the other: of connections without a token the server keeps 32.
    const found: [number, string, Record<string, string> | undefined][] = [];
    for (const [, line, headers] of cases) found.push([await statusOf(address, line, headers), line, headers]);
    expect(found).toEqual(cases.map(([status, line, headers]) => [status, line, headers]));
    expect((await raw(address, "\x16\x03\x01 nonsense\r\n\r\n")).slice(0, 12)).toBe("HTTP/1.1 400");
  });

  it("opens WebSockets to its own page alone, and closes them on what it doesn't understand", async () => {
    const events = `GET /${API.events}`;
    const own = { ...UPGRADE, origin: address.origin };
    const cases: [number, string, Record<string, string>][] = [
      [401, `${events} HTTP/1.1`, own],
      [401, `${events}?token=x HTTP/1.1`, own],
      [403, `${events}${address.search} HTTP/1.1`, { ...own, origin: "http://evil.example" }],
      [403, `${events}${address.search} HTTP/1.1`, { ...own, host: "evil.example" }],
      [404, `GET /${API.about}${address.search} HTTP/1.1`, own],
      [400, `${events}${address.search} HTTP/1.1`, { ...own, "sec-websocket-key": "x" }],
    ];
    const found = await Promise.all(cases.map(([, line, headers]) => statusOf(address, line, headers)));
    expect(found).toEqual(cases.map(([status]) => status));
    const said: [string | Buffer, number][] = [
      ["not json", 1008],
      ['{"ask":"frame"}', 1008],
      ['{"ask":"frame","most":1e99}', 1008],
      ['{"ask":"frame","most":5,"more":1}', 1008],
      ['{"ask":"__proto__"}', 1008],
      ["[".repeat(4000), 1008],
      [Buffer.from([1, 2]), 1008],
      [`{"ask":"pause","x":"${"x".repeat(5000)}"}`, 1009],
    ];
    for (const [text, code] of said) {
      const page = await LivePage.open(address);
      page.socket.send(text);
      await page.until("the end", () => page.closed !== undefined);
      expect([text.slice(0, 40), page.closed?.code]).toEqual([text.slice(0, 40), code]);
    }
    expect((await get(address, API.about)).status).toBe(200);
  });

  it("has room for sixteen pages", async () => {
    const pages = await Promise.all(Array.from({ length: 16 }, () => LivePage.open(address)));
    await expect(LivePage.open(address)).rejects.toThrow("503");
    pages[0].close();
    await pages[0].until("the end", () => pages[0].closed !== undefined);
    const [another] = [await LivePage.open(address)];
    for (const page of [...pages, another]) page.close();
  });

  it("answers those who ask while hundreds of others never finish their requests, and keeps who has the token", async () => {
    const address = await view("results"); // of its own: pages of other tests may still be going
    const page = await LivePage.open(address);
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const about = () => statusBy(kept, address);
    expect(await about()).toEqual([200, false]);
    const half: Socket[] = [];
    for (let k = 0; k < 500; k++) {
      const socket = connect(Number(address.port), "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET /api/about HTTP/1.1\r\nhost: local");
      half.push(socket);
      if (k % 100 === 99) await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    }
    const answer = await get(address, API.about).catch((error: Error) => ({ status: String(error.cause) }));
    expect(answer.status).toBe(200);
    expect(half.some(({ destroyed }) => !destroyed)).toBe(true);
    expect(await about()).toEqual([200, true]);
    expect(page.closed).toBeUndefined();
    await until(() => half.filter(({ destroyed }) => !destroyed).length <= 32);
    for (const socket of half) socket.destroy();
    kept.destroy();
    page.close();
  });

  it("says on stderr that nobody can read where it is, and ends, on a device that is full", async () => {
    const { code, stderr } = await gravmesh(work(), ["view", "results"], { through: '"$@" > /dev/full' });
    expect([code, stderr.split("\n")[0]]).toEqual([1, "error: stdout can't be written: no space left on device."]);
    expect(stderr).toContain("Nobody can read what it says. Stopping");
  });

  it("follows a folder that grows", async () => {
    const [from, to] = ["results", "growing"].map((name) => join(work(), name));
    mkdirSync(to);
    copyFileSync(join(from, "scenario.toml"), join(to, "scenario.toml"));
    const snapshot = (index: number) => {
      for (const part of [2, 1, 0])
        copyFileSync(join(from, `snapshot_00${index}.${part}.hdf5`), join(to, `snapshot_00${index}.${part}.hdf5`));
    };
    const rows = readFileSync(join(from, "diagnostics.csv"), "utf8").split(/(?<=\n)/);
    snapshot(0);
    writeFileSync(join(to, "diagnostics.csv"), rows.slice(0, 2).join(""));
    const other = await view("growing");
    const page = await LivePage.open(other);
    await page.until("the first row", () => page.rows === 1);
    expect(page.last("about")?.about).toMatchObject({ frames: [{ time: 0 }], status: "interrupted", report: false });
    appendFileSync(join(to, "diagnostics.csv"), rows.slice(2, 4).join(""));
    const heads = BAR_COLUMNS.map(({ name }) => name);
    const bar = (time: number, strengthWithin: number) =>
      heads.map((name) => ({ time, strengthWithin })[name as string] ?? 0.5);
    const bars = [bar(0, 0.01), bar(0.1, Number.NaN), bar(0.2, 0.125)];
    writeFileSync(join(to, "bars.csv"), csvText(heads, bars.slice(0, 2)));
    await page.until("a bar", () => page.last("bars") !== undefined);
    expect(page.last("bars")).toEqual({ event: "bars", first: 0, bars: [{ time: 0, strength: 0.01 }] });
    writeFileSync(join(to, "bars.csv"), csvText(heads, bars));
    await page.until("the next bar", () => page.last("bars")!.first === 1);
    expect(page.last("bars")!.bars).toEqual([{ time: 0.2, strength: 0.125 }]);
    snapshot(1);
    await page.until("a frame", () => page.last("about")!.about.frames.length === 2);
    await page.until("rows", () => page.rows === 3);
    expect((await frameOf(other, 1, 50)).time).toBe(0.1);
    page.close();
  });

  it("says what is wrong with a folder, in one message", async () => {
    cpSync(join(work(), "results"), join(work(), "short"), { recursive: true });
    truncateSync(join(work(), "short/snapshot_001.1.hdf5"), 3000);
    for (const name of ["none", "empty", "linked"]) mkdirSync(join(work(), name));
    for (const name of ["none", "linked"])
      copyFileSync(join(work(), "results/scenario.toml"), join(work(), name, "scenario.toml"));
    symlinkSync(join(work(), "box/snapshot_000.hdf5"), join(work(), "linked/snapshot_000.hdf5"));
    const cases: [string, number, string][] = [
      ["nowhere", 2, "There is no folder nowhere."],
      ["results/scenario.toml", 2, "results/scenario.toml is a file; expected the result folder of a run."],
      ["empty", 2, "empty has no scenario.toml: expected the result folder of a run."],
      ["none", 2, 'none has no snapshots of the run "none": there is nothing to show.'],
      ["short", 1, "snapshot_001.1.hdf5: the file is truncated: it has 3000 of"],
      ["linked", 1, "linked/snapshot_000.hdf5 is a link that leads out of the folder; it isn't shown."],
    ];
    for (const [folder, code, message] of cases) {
      const outcome = await gravmesh(work(), ["view", folder]);
      expect(outcome).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
      expect(outcome.stderr.trim().split("\n")).toHaveLength(1);
    }
    rmSync(join(work(), "linked"), { recursive: true });
  });

  it("takes the port that it is told, once, and ends with Ctrl-C while pages are open", async () => {
    const { address: first, program } = await served("results");
    const taken = await gravmesh(work(), ["view", "--port", first.port]);
    expect(taken).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Port ${first.port} can't be had: another program has it.`),
    });
    expect((await gravmesh(work(), ["view", "--port", "65536"])).code).toBe(2);
    const page = await LivePage.open(first);
    program.child.kill("SIGINT");
    expect(await program.done).toMatchObject({ code: 0, signal: null });
    await page.until("the end", () => page.closed !== undefined);
    expect(page.closed).toEqual({ code: 1001, reason: "the server ends" });
  });

  it("opens the page in the desktop's browser, and says so where there is none", async () => {
    const opener = join(work(), "opener");
    mkdirSync(opener);
    writeFileSync(join(opener, "xdg-open"), '#!/bin/sh\necho "$1" > "$(dirname "$0")/opened"\n', { mode: 0o755 });
    const desktop = { DISPLAY: ":7", WAYLAND_DISPLAY: "", PATH: `${opener}:${process.env.PATH}` };
    const { address: shown, program: desk } = await servedWith(desktop, "results", "--open");
    const opened = () => (existsSync(join(opener, "opened")) ? readFileSync(join(opener, "opened"), "utf8") : "");
    await until(() => opened().endsWith("\n"));
    // Of a program's arguments all on this machine may know.
    const file = opened().trim();
    expect(file).not.toContain("token");
    expect(readFileSync(file, "utf8")).toContain(`content="0; url=${shown.href}"`);
    expect([statSync(file), statSync(dirname(file))].map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700]);
    desk.child.kill("SIGINT");
    expect(await desk.done).toMatchObject({ code: 0 });
    expect(existsSync(dirname(file))).toBe(false);

    const bare = { DISPLAY: "", WAYLAND_DISPLAY: "" };
    const { address: other, program } = await servedWith(bare, "results", "--open");
    await program.until("--open: there is no desktop here; open the address in a browser.");
    expect((await fetch(other)).status).toBe(200);
    const { address: last, program: without } = await servedWith(
      { ...desktop, PATH: opener.slice(0, -1) },
      "results",
      "--open",
    );
    await without.until("--open: spawn xdg-open ENOENT; open the address in a browser.");
    expect((await fetch(last)).status).toBe(200);
  });

  it("tells a column from outside with --extension, and nothing of it without", async () => {
    const rowsOf = async (...args: string[]) => {
      const page = await LivePage.open(await view("box", ...args));
      await page.until("rows", () => page.rows === 5);
      const { rows } = page.last("rows")!;
      page.close();
      return rows as unknown as Record<string, number>[];
    };
    const rows = await rowsOf(...EXTENSION);
    for (const row of rows) expect(row.bulkSpeed).toBeGreaterThan(0);
    expect((await rowsOf()).map((row) => "bulkSpeed" in row)).toEqual(rows.map(() => false));
    const missing = await gravmesh(work(), ["view", "box", "--extension", "none.mjs"]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("none.mjs") });
  });

  it("serves the page alone where there is no folder", async () => {
    const alone = await view();
    expect(alone.search).toBe("");
    expect((await fetch(alone)).status).toBe(200);
    expect((await get(alone, API.about, "x")).status).toBe(404);
    expect(await statusOf(alone, `GET /${API.events} HTTP/1.1`, UPGRADE)).toBe(404);
  });
});
