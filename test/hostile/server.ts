/**
 * The server of `view` and `run --live`, attacked: by requests, by upgrades, by frames, by sockets that are left half open. An
 * attack is no fault where it gets the answer that is right and the server still answers whoever has the token.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Audience, type Showing } from "../../src/studio/live/audience.node.ts";
import { API } from "../../src/studio/live/protocol.ts";
import { servePage } from "../../src/studio/live/server.node.ts";
import { get, LivePage, raw, statusOf, UPGRADE } from "../support/live.ts";
import type { Try } from "./try.ts";

const about: Showing["about"] = {
  ...{ kind: "folder", title: "<script>alert(1)</script>", deck: "", boxSize: 1, periodic: false, start: 0, end: 1 },
  ...{ cells: 16, conserved: "energy", field: "none", components: [], frames: [], status: "complete", report: true },
  ...{ units: { length: "", time: "", mass: "", velocity: "" }, warnings: [] },
};
const showing: Showing = { about, state: { event: "state", state: "shown" }, rows: [], spectra: [], bars: [] };

async function served() {
  const audience = new Audience(() => showing);
  const server = await servePage({
    shown: {
      about: () => about,
      frame: async (index) => (index === 0 ? new Uint8Array(2 ** 20) : undefined),
      report: () => Buffer.from("<p>a report"),
      opened: (socket) => audience.add(socket),
    },
  });
  const end = () => {
    audience.end();
    return server.close();
  };
  return { address: new URL(server.address), end };
}

/** One for all tries that leave it as it was. */
let common: ReturnType<typeof served> | undefined;
async function address(): Promise<URL> {
  common ??= served();
  return (await common).address;
}

async function stillAnswers(to: URL): Promise<string | undefined> {
  const { status } = await get(to, API.about);
  return status === 200 ? undefined : `whoever has the token gets ${status}`;
}

type Headers = Record<string, string>;
const bearer = (to: URL): Headers => ({ authorization: `Bearer ${to.searchParams.get("token")}` });

/** A request with the token, and the status that is right. */
const asked = (status: number, line: string, headers: Headers | ((to: URL) => Headers) = {}, token = true): Try => ({
  name: `${line.slice(0, 80)} ${typeof headers === "object" ? JSON.stringify(headers).slice(0, 120) : headers} ${token ? "" : "no token"}`,
  async run() {
    const to = await address();
    const own = typeof headers === "object" ? headers : headers(to);
    const found = await statusOf(to, line, { ...(token && bearer(to)), ...own });
    return found === status ? stillAnswers(to) : `expected ${status}, found ${found}`;
  },
});

const ABOUT = `/${API.about}`;
const METHODS = ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "PROPFIND"];
const PATHS = [
  ...[
    "/../package.json",
    "/..%2fpackage.json",
    "/%2e%2e/package.json",
    "/parts/../../package.json",
    "/..\\package.json",
  ],
  ...[
    "/....//package.json",
    "/%252e%252e/package.json",
    "/%c0%ae%c0%ae/package.json",
    "/%00",
    "/index.html%00.js",
    "/parts",
  ],
  ...[
    "/index.html/",
    "/INDEX.HTML",
    "/.git/config",
    "/scenario.toml",
    "/page.js.map",
    "/etc/passwd",
    "/C:/windows/win.ini",
  ],
];
const API_PATHS = [
  ...["../report", "frame/../../x", "frame/%2e%2e", "frame/-1", "frame/1e1", "frame/9999999999", "frame/0/", "frame"],
  ...[
    "scenario.toml",
    "events",
    "",
    "__proto__",
    "constructor",
    "frame/NaN",
    "frame/1",
    "frame/%30",
    "about/",
    "ABOUT",
  ],
];
const MOST = ["0", "-1", "1e9", "x", "1.5", "9999999999", "NaN", "Infinity", "0x10000000"];
const HOSTS = [
  ...[
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "localhost:80@evil.example",
    "localhost.evil",
  ],
  ...["[::1", "127.0.0.1:123456", "0.0.0.0", "2130706433", "127.0.0.1/", "localhost\\evil", "[::ffff:127.0.0.1]"],
];
const ORIGINS = [
  "http://evil.example",
  "null",
  "file://",
  "http://localhost.evil",
  "https://127.0.0.1",
  "http://127.0.0.1:1",
];
const SITES = ["cross-site", "same-site", "sideways"];
const BODIES: [number, Headers][] = [
  [413, { "content-length": "5" }],
  [413, { "transfer-encoding": "chunked" }],
  [400, { "content-length": "none" }],
  [400, { "content-length": "-1" }],
  [400, { "content-length": "5", "transfer-encoding": "chunked" }],
  [431, { "x-long": "x".repeat(40_000) }],
];
const TOKENS: ((to: URL) => Headers)[] = [
  () => ({}),
  (to) => ({ authorization: `Bearer ${to.searchParams.get("token")?.slice(1)}` }),
  (to) => ({ authorization: `Bearer ${to.searchParams.get("token")}x` }),
  (to) => ({ authorization: `Basic ${to.searchParams.get("token")}` }),
  (to) => ({ authorization: `bearer ${to.searchParams.get("token")}` }),
  (to) => ({ cookie: `token=${to.searchParams.get("token")}` }),
  () => ({ authorization: `Bearer ${"A".repeat(10_000)}` }),
];

/** An upgrade, whose refused socket is gone soon after its answer although its peer keeps it open. */
const upgrade = (
  status: number,
  headers: Headers | ((to: URL) => Headers),
  path = ABOUT.replace("about", "events"),
  token = true,
): Try => ({
  name: `upgrade ${path} ${typeof headers === "object" ? JSON.stringify(headers) : headers} ${token ? "" : "no token"}`,
  async run() {
    const to = await address();
    const own = typeof headers === "object" ? headers : headers(to);
    const head = Object.entries({ host: to.host, ...UPGRADE, ...own }).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect({ port: Number(to.port), host: "127.0.0.1", allowHalfOpen: true });
    let heard = "";
    socket.on("error", () => {}).on("data", (data) => (heard += data));
    socket.write(`GET ${path}${token ? to.search : ""} HTTP/1.1\r\n${head.join("")}\r\n`);
    await once(socket, "end");
    const found = Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]);
    // Of a socket that is gone on the other side nothing can be asked any more.
    const gone = new Promise<boolean>((resolve) => socket.once("close", () => resolve(true)));
    const write = setInterval(() => socket.write("x"), 50);
    const closed = await Promise.race([gone, sleep(5000, false)]);
    clearInterval(write);
    socket.destroy();
    if (found !== status) return `expected ${status}, found ${found}`;
    return closed ? stillAnswers(to) : "the refused socket stays open";
  },
});

const masked = (opcode: number, payload: Buffer, { fin = true, length = payload.length } = {}) => {
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, (length >> 8) & 255, length & 255];
  const mask = [1, 2, 3, 4];
  return Buffer.from([(fin ? 0x80 : 0) | opcode, ...size, ...mask, ...payload.map((byte, i) => byte ^ mask[i % 4])]);
};
const text = (message: string) => masked(1, Buffer.from(message));
const FRAMES: Record<string, Buffer> = {
  "not JSON": text("not json"),
  "an unknown wish": text('{"ask":"__proto__"}'),
  "a frame without a number": text('{"ask":"frame"}'),
  "too many particles": text('{"ask":"frame","most":1e99}'),
  "one key more": text('{"ask":"frame","most":5,"more":1}'),
  "a list 4000 deep": text("[".repeat(4000)),
  binary: masked(2, Buffer.from([1, 2])),
  "a message of 5000 bytes": text(`{"ask":"pause","x":"${"x".repeat(5000)}"}`),
  "a length of 2^62": Buffer.from([0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
  "an unmasked frame": Buffer.from([0x81, 2, 0x7b, 0x7d]),
  "a reserved bit": Buffer.from([0xc1, 0x80, 1, 2, 3, 4]),
  "an unknown opcode": Buffer.from([0x83, 0x80, 1, 2, 3, 4]),
  "a ping of 200 bytes": masked(9, Buffer.alloc(200)),
  "a ping in pieces": masked(9, Buffer.alloc(2), { fin: false }),
  "a continuation of nothing": masked(0, Buffer.from("{}")),
  "text that isn't UTF-8": masked(1, Buffer.from([0xff, 0xfe])),
  "a close of one byte": masked(8, Buffer.from([3])),
  "a close with an unknown code": masked(8, Buffer.from([0, 1])),
  "a message in 5000 pieces": Buffer.concat([
    masked(1, Buffer.from("x"), { fin: false }),
    ...Array.from({ length: 5000 }, () => masked(0, Buffer.from("x"), { fin: false })),
  ]),
};

const frame = (name: string, bytes: Buffer): Try => ({
  name: `a WebSocket gets ${name}`,
  async run() {
    const to = await address();
    const socket = connect(Number(to.port), "127.0.0.1");
    socket.on("error", () => {}).resume();
    const head = Object.entries({ host: to.host, ...UPGRADE }).map(([key, value]) => `${key}: ${value}\r\n`);
    socket.write(`GET /${API.events}${to.search} HTTP/1.1\r\n${head.join("")}\r\n`);
    await once(socket, "data");
    socket.write(bytes);
    // The server says goodbye (0x88), or hangs up at once.
    const closed = await new Promise<boolean>((resolve) => {
      socket.once("close", () => resolve(true)).on("data", (data) => data.includes(0x88) && resolve(true));
      setTimeout(() => resolve(false), 5000).unref();
    });
    socket.destroy();
    return closed ? stillAnswers(to) : "it isn't closed";
  },
});

/** What sockets are left with. */
const LEFT: Record<string, string> = {
  nothing: "",
  "half a request line": "GET /api/ab",
  "half a head": "GET /api/about HTTP/1.1\r\nhost: local",
  "a head without its end": `GET / HTTP/1.1\r\nhost: localhost\r\n${"x: y\r\n".repeat(20)}`,
};
const left = (name: string, bytes: string): Try => ({
  name: `300 sockets are left with ${name}`,
  async run() {
    const { address: to, end } = await served();
    const sockets: Socket[] = [];
    try {
      for (let k = 0; k < 300; k++) {
        const socket = connect(Number(to.port), "127.0.0.1").on("error", () => {});
        socket.write(bytes);
        sockets.push(socket);
      }
      await Promise.all(
        sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))),
      );
      return await stillAnswers(to);
    } finally {
      for (const socket of sockets) socket.destroy();
      await end();
    }
  },
});

const NONSENSE = {
  TLS: "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
  "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/0.9": "GET /\r\n\r\n",
  "a header without a colon": "GET / HTTP/1.1\r\nhost localhost\r\n\r\n",
  "a NUL in the path": "GET /\0 HTTP/1.1\r\nhost: localhost\r\n\r\n",
  "two hosts": "GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
  "no host": "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
};
const nonsense = (name: string, bytes: string): Try => ({
  name: `bytes: ${name}`,
  async run() {
    const to = await address();
    const answer = await raw(to, bytes);
    if (/^HTTP\/1\.1 [1-3]/.test(answer) && !name.startsWith("two")) return `answered ${answer.slice(0, 40)}`;
    return stillAnswers(to);
  },
});

const own = (name: string, run: () => Promise<string | undefined>): Try => ({ name, run });

const others: readonly Try[] = [
  own("a reply that isn't read", async () => {
    const to = await address();
    const socket = connect(Number(to.port), "127.0.0.1").on("error", () => {});
    socket.pause();
    const line = `GET /${API.frame}/0 HTTP/1.1\r\nhost: ${to.host}\r\nauthorization: ${bearer(to).authorization}\r\n\r\n`;
    socket.write(line.repeat(20));
    const fault = await stillAnswers(to);
    socket.destroy();
    return fault;
  }),
  own("the headers of all answers forbid to guess, to frame and to tell", async () => {
    const to = await address();
    for (const path of ["/", "/nothing", ABOUT, `/${API.report}`]) {
      const { headers } = await get(to, path);
      if (headers.get("x-content-type-options") !== "nosniff" || headers.get("referrer-policy") !== "no-referrer")
        return `${path}: ${JSON.stringify([...headers])}`;
      if (path !== ABOUT && !headers.get("content-security-policy")?.includes("default-src 'none'"))
        return `${path} has no policy`;
    }
    return undefined;
  }),
  own("seventeen pages", async () => {
    const { address: to, end } = await served();
    const pages = await Promise.all(Array.from({ length: 16 }, () => LivePage.open(to)));
    const one = await LivePage.open(to).then(
      () => "a seventeenth page was let in",
      () => undefined,
    );
    for (const page of pages) page.close();
    await end();
    return one;
  }),
];

const REFUSED = `GET /${API.events} HTTP/1.1\r\nhost: HOST\r\n${Object.entries(UPGRADE)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("")}\r\n`;
/** What clients do whose upgrade is refused. */
const KEPT: Record<string, { bytes: string; reads: boolean; ends?: boolean }> = {
  "keep it open": { bytes: REFUSED, reads: true },
  "don't read": { bytes: REFUSED, reads: false },
  "send a megabyte behind it and don't read": { bytes: REFUSED + "x".repeat(1e6), reads: false },
  "end their half": { bytes: REFUSED, reads: false, ends: true },
};

/** The program itself ends although refused upgrades are kept open by their clients: with `code`, once `stop` was asked of it. */
const ends = (
  name: string,
  args: (folder: string) => string[],
  { bytes, reads, ends = false }: (typeof KEPT)[string],
  stop: boolean,
): Try => ({
  name: `${args("").slice(0, 2).join(" ")} ends while refused upgrades ${name}`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "gravmesh-hostile-"));
    const child = spawn(process.execPath, [join(process.cwd(), "dist/bin/gravmesh.js"), ...args(folder)], {
      cwd: folder,
    });
    const over = once(child, "exit");
    process.once("exit", () => child.kill("SIGKILL"));
    const sockets: Socket[] = [];
    try {
      let said = "";
      await new Promise((resolve) => {
        child.once("exit", resolve).stdout.on("data", (chunk) => {
          said += chunk;
          if (/http:\S+/.test(said)) resolve(undefined);
        });
      });
      const to = new URL(/http:[^\s"]+/.exec(said)?.[0] ?? "http://none");
      for (let k = 0; k < 5; k++) {
        const socket = connect({ port: Number(to.port), host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
        if (reads) socket.resume();
        socket.write(bytes.replace("HOST", to.host));
        if (ends) socket.end();
        sockets.push(socket);
      }
      await sleep(500);
      if (stop) child.kill("SIGINT");
      const [code, signal] = await Promise.race([over, sleep(45_000, ["nothing: it goes on", undefined])]);
      return code === 0 ? undefined : `it ended with ${code ?? signal}`;
    } finally {
      child.kill("SIGKILL");
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
const LIVE = [
  "plummer",
  "--backend=cpu",
  "mesh.cells=16",
  "particles.0.count=500",
  "particles.0.cutoff=2",
  "time.end=0.4",
];

export const serverTries: readonly Try[] = [
  ...METHODS.map((method) => asked(405, `${method} ${ABOUT} HTTP/1.1`)),
  ...PATHS.map((path) => asked(404, `GET ${path} HTTP/1.1`)),
  ...API_PATHS.map((path) => asked(404, `GET /api/${path} HTTP/1.1`)),
  ...MOST.map((most) => asked(400, `GET /${API.frame}/0?most=${most} HTTP/1.1`)),
  ...["//evil.example/", "http://evil.example/", "*", "evil.example:80"].map((path) =>
    asked(400, `GET ${path} HTTP/1.1`),
  ),
  ...HOSTS.map((host) => asked(403, `GET ${ABOUT} HTTP/1.1`, { host })),
  ...ORIGINS.map((origin) => asked(403, `GET ${ABOUT} HTTP/1.1`, { origin })),
  ...SITES.map((site) => asked(403, `GET ${ABOUT} HTTP/1.1`, { "sec-fetch-site": site })),
  ...BODIES.map(([status, headers]) => asked(status, `GET ${ABOUT} HTTP/1.1`, headers)),
  ...TOKENS.map((headers) => asked(401, `GET ${ABOUT} HTTP/1.1`, headers, false)),
  ...["?token=", "?token=x", "?TOKEN=x", "?token[]=x"].map((query) =>
    asked(401, `GET ${ABOUT}${query} HTTP/1.1`, {}, false),
  ),
  upgrade(401, {}, undefined, false),
  ...HOSTS.slice(0, 3).map((host) => upgrade(403, { host })),
  ...ORIGINS.slice(0, 3).map((origin) => upgrade(403, { origin })),
  upgrade(403, { "sec-fetch-site": "cross-site" }),
  ...["/api/about", "/", "/api/events/x", "//evil.example/"].map((path) => upgrade(404, {}, path)),
  upgrade(400, { "sec-websocket-key": "x" }),
  upgrade(400, { "sec-websocket-version": "99" }),
  ...Object.entries(FRAMES).map(([name, bytes]) => frame(name, bytes)),
  ...Object.entries(NONSENSE).map(([name, bytes]) => nonsense(name, bytes)),
  ...others,
  ...Object.entries(LEFT).map(([name, bytes]) => left(name, bytes)),
  ...Object.entries(KEPT).map(([name, how]) =>
    ends(name, (folder) => ["run", ...LIVE, "--out", folder, "--force", "--live"], how, false),
  ),
  ...Object.entries(KEPT)
    .slice(0, 3)
    .map(([name, how]) => ends(name, () => ["view"], how, true)),
];
